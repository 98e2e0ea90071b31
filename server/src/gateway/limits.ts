import { INPUT_WINDOW } from '@sallyport/contract';

/**
 * What clients and targets can make this server hold or do, in one place. The operator guide lists these values; the ones that
 * installations differ in are settings (`LimitValues`). Sizes are bytes, times milliseconds, unless the name says otherwise.
 */

/** One message of a client. Our own client sends at most half of it. */
export const MAX_FRAME = 64 * 1024;
/** Typed bytes that a target has not read yet: the window that clients keep to, and what may be on its way besides. A session with more of them ends. */
export const MAX_WAITING_INPUT = 2 * INPUT_WINDOW;
/** Bytes on their way to an SSH server that sends requests and does not read our answers. */
export const MAX_TRANSPORT_BACKLOG = 4 * 1024 * 1024;
/** Output that a terminal's target may send before we have read it: 5 MiB a second over a route of 50 ms. */
export const TERMINAL_WINDOW = 256 * 1024;
/** The same without a terminal, and what a client may send there: the window of the SSH library. */
export const EXEC_WINDOW = 2 * 1024 * 1024;
/** Output of a command without a terminal that is recorded. */
export const EXEC_RECORDED = 1024 * 1024;
/** Unread output of one channel above which its window is not granted again. */
export const UNREAD_OUTPUT = 128 * 1024;
/** Pieces of it up to this size are put together while they wait, in blocks of so many bytes. */
export const SMALL_PIECE = 2 * 1024;
export const WAITING_BLOCK = 16 * 1024;
/** Bytes of one turn of the event loop that are put together before they go on. More would come late for stopping the other side. */
export const MAX_GATHERED = 32 * 1024;
/** What may come beyond both: a packet that crosses our pause. */
export const WINDOW_TOLERANCE = 64 * 1024;

/** A recording may grow by so much at full speed before its rate is limited: one large file that a person looks at. */
export const RECORDING_BURST = 512 * 1024 * 1024;
/** How often the free space of the disk is looked at while sessions are open. */
export const DISK_CHECK_MS = 1000;

/** WebSockets of one person, and from one address, behind which many people may sit. */
export const MAX_SOCKETS_PER_PERSON = 200;
export const MAX_SOCKETS_PER_ADDRESS = 2000;
/** People who watch one session at a time. */
export const MAX_WATCHERS = 20;

/** What waits for a browser that shows a desktop is bounded by its acknowledgements; one who watches and is this far behind misses something, and gets all of the picture later. */
export const DESKTOP_VIEW_BACKLOG = 1024 * 1024;
/** One who watches and is so far behind in the middle of one message is sent away. */
export const DESKTOP_VIEW_MOST = 16 * 1024 * 1024;
/** Input that a desktop has not read, above which its person is not read any more. */
export const DESKTOP_INPUT_HELD = 256 * 1024;
/** Records of a desktop that are put into one block: bytes, and milliseconds until it is written. */
export const DESKTOP_BLOCK = 256 * 1024;
export const DESKTOP_BLOCK_MS = 1000;
/** Records that wait for the disk, above which the target is not read until half of it is written. */
export const DESKTOP_BLOCKS_WAITING = 4 * 1024 * 1024;
/** How often the place of the pointer is recorded and shown to those who watch, at most. */
export const POINTER_EVERY_MS = 50;
/** The longest text that passes between a desktop and its person, in bytes. */
export const MAX_DESKTOP_TEXT = 256 * 1024;

/** Bytes of one piece of a file on the clipboard of a desktop that is asked for. */
export const MAX_DESKTOP_FILE_RANGE = 4 * 1024 * 1024 - 1024;
/** Pieces that are asked for at a time in one direction, and how long a file may wait for its next one. */
export const MAX_DESKTOP_FILE_REQUESTS = 32;
export const DESKTOP_FILE_IDLE_MS = 60_000;
/** Entries of the file-transfer log that wait to be written, above which a desktop waits for them. */
export const MAX_DESKTOP_FILE_ENTRIES = 50;

/** Guests who are in one session at a time. */
export const MAX_GUESTS = 5;
/** How long a guest who typed is shown as typing, and how often at most the owner hears of it. */
export const TYPING_MS = 2000;

/** How long a guard may take to decide on a line. */
export const GUARD_MS = 5000;
/** A pasted block that is decided line by line before any of it is sent; of a larger one nothing is. */
export const MAX_GUARDED_PASTE = 256 * 1024;
/** How long the question of a guard waits for its person, unless the guard says otherwise. */
export const GUARD_ANSWER_SECONDS = 60;
/** A typed line has been shown when the output paused for so long, or at the latest after so long. */
export const ECHO_PAUSE_MS = 50;
export const ECHO_MS = 500;
/** How long a target may take to show its prompt again when a line was given up, and how often that is looked at. */
export const PROMPT_MS = 1500;
export const PROMPT_LOOK_MS = 20;

/** The longest text of statements that a database is sent, and how many statements it may have. */
export const MAX_STATEMENT = 1024 * 1024;
/** Maximum text of a client of databases where nothing has to be decided about it: drivers put files into it. MySQL takes 16 to 64 MiB. */
export const MAX_SENT_STATEMENT = 16 * 1024 * 1024;
/** Maximum text that is read in every meaning. A user who is restricted to reading or by filters may send no longer one. */
export const MAX_CHECKED = 128 * 1024;
export const MAX_STATEMENTS = 1000;
/** What the recording of a database session shows of one statement and of its result. */
export const RECORDED_STATEMENT = 16 * 1024;
export const RECORDED_ROWS = 20;
export const RECORDED_RESULT = 16 * 1024;
/** Results that a workspace keeps, and bytes of one on the disk; of a longer one the rest is left out. */
export const MOST_RESULTS = 20;
export const MAX_RESULT_BYTES = 512 * 1024 * 1024;
/** How long a statement of a workspace may run. */
export const STATEMENT_MS = 30 * 60_000;
/** Parts of one answer about keys of Redis that are read. */
export const MOST_SCANNED_KEYS = 5000;
/** Requests of a workspace that wait for their answer. */
export const MOST_QUERY_REQUESTS = 100;
/** What a new watcher of a database session gets of what it showed. */
export const DATABASE_TAIL = 64 * 1024;

/** Columns and rows of a terminal, each, and both multiplied: an emulator holds every cell. */
export const MIN_TERMINAL_SIDE = 2;
export const MAX_TERMINAL_SIDE = 1000;
export const MAX_TERMINAL_CELLS = 250_000;
/** New sizes of a terminal that are passed on at once in a window; of more only the last one. */
export const MAX_RESIZES = 5;
export const RESIZE_WINDOW_MS = 500;
/** How long a terminal is one row smaller so that its program draws everything. */
export const REDRAW_MS = 100;

/** Cells of the emulator that finds commands; a larger terminal is followed with fewer rows. */
export const MAX_EMULATED_CELLS = 40_000;
/** Output and keys that wait for the emulator. Beyond this the target and the person are not read until half of it is done. */
export const MAX_EMULATOR_QUEUE = 256 * 1024;
/** What a step without bytes counts for in that queue. */
export const EMULATOR_STEP_COST = 64;
/** One piece of work of the emulator, and how long a session may work before others have their turn. */
export const EMULATOR_PIECE = 256;
export const EMULATOR_SLICE_MS = 2;
/** Sessions that use the emulator in the same moment. */
export const EMULATORS_AT_ONCE = 8;
/** Interpreted output after which the emulator is emptied: at the next prompt, and at the latest. */
export const EMULATOR_FRESH_BYTES = 4 * 1024 * 1024;
export const EMULATOR_STALE_BYTES = 16 * 1024 * 1024;
/** An emulator that nothing came for in this time is put away, where it was given no more than this: it is made again from it. */
export const EMULATOR_IDLE_MS = 5_000;
export const EMULATOR_REMEMBERED_BYTES = 16 * 1024;
export const EMULATOR_REMEMBERED_SIZES = 64;
/** How long the end of a session waits for its last commands. */
export const TRACKER_END_MS = 2000;
/** Typed bytes that are read as keys in one step. */
export const KEY_SLICE = 256;
/** Mode switches that are looked at one by one in a window; of more than these only the last of each mode counts. */
export const MAX_MODE_SWITCHES = 64;
export const MODE_SWITCH_WINDOW_MS = 200;

/** SSH connections that have not signed in: all of them, those from one address, and how long a sign-in may take. */
export const MAX_UNAUTHENTICATED = 400;
export const MAX_UNAUTHENTICATED_PER_ADDRESS = 100;
export const SIGN_IN_MS = 120_000;
/** How long an SSH client may take to send its identification and its algorithms, which programs do at once. */
export const INTRODUCTION_MS = 20_000;
/** The same for clients of databases, which nobody is asked anything in. */
export const DATABASE_SIGN_IN_MS = 30_000;
/** The same for those whose sign-in waits for a reviewer: a little longer than the sign-in itself may wait. */
export const MAX_IN_REVIEW = 200;
export const MAX_IN_REVIEW_PER_ADDRESS = 20;
export const REVIEW_MS = 3_660_000;
/** How often a connection that waits looks for the answer. */
export const REVIEW_POLL_MS = 2_000;
/** Session channels of one SSH connection, and variables of one channel's environment with their length. */
export const MAX_CHANNELS = 10;
export const MAX_ENVIRONMENT = 32;
export const MAX_ENVIRONMENT_VALUE = 256;
/** Forwarded connections of one SSH connection. */
export const MAX_FORWARDED = 32;
/** How often a silent SSH client is asked whether it is there, and how many questions it may leave unanswered. */
export const SSH_KEEPALIVE_MS = 30_000;
export const SSH_KEEPALIVE_MISSES = 3;
/** The longest command of an exec request. */
export const MAX_COMMAND = 256 * 1024;

/** The longest SFTP packet, in both directions: that of OpenSSH. */
export const MAX_SFTP_PACKET = 256 * 1024 + 1024;
/** Entries in one answer of a target about a folder, and in all of one folder. */
export const MAX_FOLDER_BATCH = 10_000;
export const MAX_FOLDER_ENTRIES = 1_000_000;
/** Bytes of a name and of a path, folders of a path, and links that are followed for one. */
export const MAX_NAME_BYTES = 255;
export const MAX_PATH_BYTES = 4096;
export const MAX_PATH_DEPTH = 128;
export const MAX_LINKS = 16;
/** Files that one connection for files has open at a time. */
export const MAX_OPEN_FILES = 100;
/** Bytes of one file that are on their way at a time. */
export const FILE_WINDOW = 4 * 1024 * 1024;
/** How long the end of a session waits for parts to be removed from the target. */
export const FILES_END_MS = 5000;
/** Connections for files that one sign-in holds through the web, and how long one stays open that nothing uses. */
export const MAX_FILE_CONNECTIONS = 6;
export const FILES_IDLE_MS = 10 * 60_000;
/** Files and folders of one archive, and archives that one sign-in makes at a time. */
export const MAX_ARCHIVE_ENTRIES = 100_000;
export const MAX_ARCHIVES = 3;

/** Terminals that ended while their browser was away, each with up to some hundred kilobytes of output. Beyond this the oldest is forgotten: a browser that comes back finds it gone. */
export const MAX_ENDED_TERMINALS = 100;
