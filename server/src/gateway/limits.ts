import { INPUT_WINDOW } from '@sallyport/contract';

/**
 * Resource limits per client and target. The operator guide lists them; values that vary between
 * installations are settings (`LimitValues`). Sizes are in bytes and times in milliseconds, unless
 * the name says otherwise.
 */

/** Maximum message of a client. Our own client sends at most half of it. */
export const MAX_FRAME = 64 * 1024;
/**
 * Maximum unread input per session: the client's window, plus data in flight. A session that
 * exceeds it ends.
 */
export const MAX_WAITING_INPUT = 2 * INPUT_WINDOW;
/** Maximum unsent answers to an SSH server that sends requests without reading. */
export const MAX_TRANSPORT_BACKLOG = 4 * 1024 * 1024;
/** Maximum unsent answers to a telnet server, which asks for a few options. */
export const MAX_ANSWER_BACKLOG = 64 * 1024;
/** SSH window for terminal output: 5 MiB per second at a round trip of 50 ms. */
export const TERMINAL_WINDOW = 256 * 1024;
/**
 * Bytes that all terminals of a process share for each of: windows of targets, output that browsers
 * have not confirmed, and output kept for new screens. A terminal gets at least `LEAST_OUTPUT`,
 * which is more than browsers draw before they confirm.
 */
export const OUTPUT_BUDGET = 8 * 1024 * 1024;
export const LEAST_OUTPUT = 48 * 1024;
/** SSH window without a terminal, both ways: the default of the SSH library. */
export const EXEC_WINDOW = 2 * 1024 * 1024;
/** Maximum recorded output of a command without a terminal. */
export const EXEC_RECORDED = 1024 * 1024;
/** Batch at most this many bytes per tick; larger batches delay back pressure. */
export const MAX_GATHERED = 32 * 1024;

/** Time for a part of terminal output: longer work halves later parts, shorter doubles them. */
export const OUTPUT_PART_MS = 0.5;

/** Default burst of a recording before its rate is limited: one large file on the screen. */
export const RECORDING_BURST = 512 * 1024 * 1024;
/** Interval between checks of free disk space while sessions are open. */
export const DISK_CHECK_MS = 1000;

/** Maximum WebSockets per user, and per address, which many users may share. */
export const MAX_SOCKETS_PER_PERSON = 200;
export const MAX_SOCKETS_PER_ADDRESS = 2000;
/** Maximum watchers per session. */
export const MAX_WATCHERS = 20;

/**
 * Backlog above which a desktop watcher skips updates and gets the whole picture later. The user's
 * own browser is bounded by acknowledgements.
 */
export const DESKTOP_VIEW_BACKLOG = 1024 * 1024;
/** Backlog within one message above which a desktop watcher is disconnected. */
export const DESKTOP_VIEW_MAX = 16 * 1024 * 1024;
/** Time for the messages of a desktop in one turn of the event loop: that of all sessions. */
export const DESKTOP_READ_MS = 2;
/** Maximum unread input per desktop. Beyond it we stop reading from the user (back pressure). */
export const DESKTOP_INPUT_HELD = 256 * 1024;
/** A block of a desktop recording: maximum bytes, and maximum delay of its write. */
export const DESKTOP_BLOCK = 256 * 1024;
export const DESKTOP_BLOCK_MS = 1000;
/** Records waiting for the disk above which the target pauses until half of them are written. */
export const DESKTOP_BLOCKS_WAITING = 4 * 1024 * 1024;
/**
 * Time for the first picture after the page has begun, in timeouts of a connection: servers start a
 * whole desktop in it.
 */
export const PICTURE_TIMEOUTS = 4;
/** Minimum interval between recorded and shown pointer positions. */
export const POINTER_EVERY_MS = 50;

/** Unwritten file-transfer entries above which a desktop or terminal pauses. */
export const MAX_FILE_ENTRIES = 50;
/**
 * A program that offers a ZMODEM transfer is silent for this long after its header. A transfer
 * without a frame for `ZMODEM_PROGRESS_MS` is cancelled. Files listed after a transfer.
 */
export const ZMODEM_QUIET_MS = 300;
export const ZMODEM_PROGRESS_MS = 60_000;
export const MAX_SHOWN_FILES = 20;

/** Maximum guests per session. */
export const MAX_GUESTS = 5;
/** Time for which a guest is shown as typing; also the minimum interval between reports. */
export const TYPING_MS = 2000;

/** Timeout of a guard's decision. */
export const GUARD_MS = 5000;
/** Maximum bracketed paste that is checked line by line. Larger ones are rejected. */
export const MAX_GUARDED_PASTE = 256 * 1024;
/** Default timeout of a guard's question. */
export const GUARD_ANSWER_SECONDS = 60;
/** Maximum time that a client program of a database waits for a reviewer. */
export const RELAY_HOLD_SECONDS = 120;
/** Keys within this time after a question, or after the last such key, do not answer it. */
export const ANSWER_QUIET_MS = 400;
/**
 * Echo of a typed line: complete after this pause in the output, after a longer one if the text is
 * not at the cursor. Without output, the line is read after `ECHO_MS`, and while output arrives
 * after `ECHO_LIMIT_MS` at most.
 */
export const ECHO_PAUSE_MS = 50;
export const ECHO_ELSEWHERE_MS = 1000;
export const ECHO_MS = 500;
export const ECHO_LIMIT_MS = 3000;
/** Timeout for the prompt after a rejected line, and the polling interval. */
export const PROMPT_MS = 1500;
export const PROMPT_POLL_MS = 20;

/** Maximum text of statements, and maximum number of statements in it. */
export const MAX_STATEMENT = 1024 * 1024;
/**
 * Maximum text that is parsed in every meaning. Users with read-only rights or filters may not send
 * longer ones.
 */
export const MAX_CHECKED = 128 * 1024;
export const MAX_STATEMENTS = 1000;
/** Maximum size of a statement and of its result in a database recording. */
export const RECORDED_STATEMENT = 16 * 1024;
export const RECORDED_ROWS = 20;
export const RECORDED_RESULT = 16 * 1024;
/** Results per workspace, and bytes per stored result; longer results are truncated. */
export const MOST_RESULTS = 20;
export const MAX_RESULT_BYTES = 512 * 1024 * 1024;
/** Timeout of a statement in a workspace. */
export const STATEMENT_MS = 30 * 60_000;
/** Preview of a change: its timeout, and the rows that it may affect and shows. */
export const PREVIEW_MS = 10_000;
export const MOST_PREVIEWED_ROWS = 100_000;
export const PREVIEW_SAMPLE = 20;
/** Undo script of a change: maximum rows, and bytes of the script. */
export const MOST_UNDO_ROWS = 10_000;
export const MAX_UNDO_BYTES = 4 * 1024 * 1024;
/**
 * From a database: columns of a result (MySQL allows 4096), bytes of a message besides rows and
 * copied data, and messages of a sign-in.
 */
export const MAX_RESULT_COLUMNS = 4096;
export const MAX_DATABASE_MESSAGE = 1024 * 1024;
export const MAX_SIGN_IN_STEPS = 1000;
/** Maximum characters of an error that a database returns. */
export const MAX_DATABASE_ERROR = 16 * 1024;
/** Maximum parts read from one `SCAN` answer. */
export const MOST_SCANNED_KEYS = 5000;
/** Maximum pending requests of a workspace. */
export const MOST_QUERY_REQUESTS = 100;
/** Recent output of a database session for new watchers. */
export const DATABASE_TAIL = 64 * 1024;

/** Range of terminal columns and rows, and maximum cells: an emulator stores each cell. */
export const MIN_TERMINAL_SIDE = 2;
export const MAX_TERMINAL_SIDE = 1000;
export const MAX_TERMINAL_CELLS = 250_000;
/** Resizes that apply at once per window; of further ones only the last applies. */
export const MAX_RESIZES = 5;
export const RESIZE_WINDOW_MS = 500;
/** Time for which a terminal has one row less to force a redraw. */
export const REDRAW_MS = 100;

/**
 * Maximum cells of the emulator that finds commands. Larger terminals are emulated with fewer rows.
 */
export const MAX_EMULATED_CELLS = 40_000;
/**
 * Maximum queued output and keys of an emulator. Beyond it, target and user pause until half is
 * done.
 */
export const MAX_EMULATOR_QUEUE = 256 * 1024;
/** Cost of a queued step without bytes. */
export const EMULATOR_STEP_COST = 64;
/** Bytes per piece of emulator work, and time of a session in a turn of the event loop. */
export const EMULATOR_PIECE = 1024;
export const EMULATOR_SLICE_MS = 0.5;
/** Output after which the emulator is reset: at the next prompt, or immediately. */
export const EMULATOR_FRESH_BYTES = 4 * 1024 * 1024;
export const EMULATOR_STALE_BYTES = 16 * 1024 * 1024;
/**
 * Idle time after which an emulator is disposed of, and maximum history from which it can be
 * recreated.
 */
export const EMULATOR_IDLE_MS = 5_000;
export const EMULATOR_REMEMBERED_BYTES = 16 * 1024;
export const EMULATOR_REMEMBERED_SIZES = 64;
/** Time limit for the last commands at the end of a session. */
export const TRACKER_END_MS = 2000;
/** Bytes of input that are parsed as keys in one step. */
export const KEY_SLICE = 256;
/**
 * Mode switches per window that are processed individually; of further ones only the last per mode.
 */
export const MAX_MODE_SWITCHES = 64;
export const MODE_SWITCH_WINDOW_MS = 200;

/** SSH connections before sign-in: maximum in total and per address, and timeout of the sign-in. */
export const MAX_UNAUTHENTICATED = 400;
export const MAX_UNAUTHENTICATED_PER_ADDRESS = 100;
export const SIGN_IN_MS = 120_000;
/** Refused SSH connections that wait at a time until the client has read the reason. */
export const MAX_REFUSED = 50;
/** Timeout of an SSH client's identification and algorithms, which clients send at once. */
export const INTRODUCTION_MS = 20_000;
/** Timeout of a database client's sign-in, which is not interactive. */
export const DATABASE_SIGN_IN_MS = 30_000;
/**
 * Connections whose sign-in waits for a reviewer. The timeout slightly exceeds that of the review.
 */
export const MAX_IN_REVIEW = 200;
export const MAX_IN_REVIEW_PER_ADDRESS = 20;
export const REVIEW_MS = 3_660_000;
/** Polling interval of a connection that waits for review. */
export const REVIEW_POLL_MS = 2_000;
/** Per SSH connection: session channels. Per channel: environment variables and their length. */
export const MAX_CHANNELS = 10;
export const MAX_ENVIRONMENT = 32;
export const MAX_ENVIRONMENT_VALUE = 256;
/** Forwarded connections per SSH connection. */
export const MAX_FORWARDED = 32;
/**
 * Keepalive interval of silent SSH clients and targets, and maximum unanswered keepalives. They
 * find processes that hang; the kernel finds dead hosts, at no cost to us.
 */
export const SSH_KEEPALIVE_MS = 60_000;
export const SSH_KEEPALIVE_MISSES = 3;
/**
 * Options of sockets that may be silent: the kernel probes the other host after 30 seconds, and
 * ends the connection after ten unanswered probes, one per second.
 */
export const TCP_KEEPALIVE = { keepAlive: true, keepAliveInitialDelay: 30_000 } as const;
/** Questions of an SSH server in one sign-in: rounds and prompts. */
export const MAX_QUESTIONS = 40;
/** Key exchanges of a target per window. By default, OpenSSH starts one per gigabyte. */
export const MAX_KEY_EXCHANGES = 200;
export const KEY_EXCHANGE_WINDOW_MS = 60_000;
/** Maximum command of an exec request. */
export const MAX_COMMAND = 256 * 1024;

/** Maximum SFTP packet, both ways; same as in OpenSSH. */
export const MAX_SFTP_PACKET = 256 * 1024 + 1024;
/**
 * Maximum packet of names from a target. Erlang/OTP 25.2.3 sends all names of a folder in one
 * packet, which OpenSSH's limit allows for some 2,500 names.
 */
export const MAX_SFTP_NAMES = 2 * 1024 * 1024;
/** Time in which a target answers a file request, except copies and flushes of whole files. */
export const FILE_ANSWER_MS = 5 * 60_000;
/** Maximum folder entries per answer, and per folder. */
export const MAX_FOLDER_BATCH = 20_000;
export const MAX_FOLDER_ENTRIES = 1_000_000;
/** Maximum bytes of a name and a path, folders in a path, and links followed. */
export const MAX_NAME_BYTES = 255;
export const MAX_PATH_BYTES = 4096;
export const MAX_PATH_DEPTH = 128;
export const MAX_LINKS = 16;
/** Maximum open files per file connection. */
export const MAX_OPEN_FILES = 100;
/** Maximum bytes in flight per file. */
export const FILE_WINDOW = 4 * 1024 * 1024;
/** Time limit for removing partial files at the end of a session. */
export const FILES_END_MS = 5000;
/** Web file connections per sign-in, and their idle timeout. */
export const MAX_FILE_CONNECTIONS = 6;
export const FILES_IDLE_MS = 10 * 60_000;
/** A file connection without an open file holds a stop for this long after its last request. */
export const FILES_HOLD_STOP_MS = 5000;
/** Maximum entries of an archive, and parallel archives per sign-in. */
export const MAX_ARCHIVE_ENTRIES = 100_000;
export const MAX_ARCHIVES = 3;

/**
 * Ended terminals kept for browsers that may return, each up to several hundred kilobytes. Beyond
 * it the oldest is dropped.
 */
export const MAX_ENDED_TERMINALS = 100;

/** Counts units in use per name, such as a user or an address. */
export class Allowance {
  private readonly held = new Map<string, number>();

  /**
   * Takes one unit under each name. Returns a function to release them, or `undefined` if a name
   * has reached its maximum.
   */
  take(names: Readonly<Record<string, number>>): (() => void) | undefined {
    const entries = Object.entries(names);
    if (entries.some(([name, max]) => (this.held.get(name) ?? 0) >= max)) return undefined;
    for (const [name] of entries) this.held.set(name, (this.held.get(name) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      for (const [name] of entries) {
        const left = (this.held.get(name) ?? 1) - 1;
        if (left > 0) this.held.set(name, left);
        else this.held.delete(name);
      }
    };
  }
}
