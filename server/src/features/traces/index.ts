import { readFileSync } from 'node:fs';
import { StartError } from '../../config.ts';
import { defineModule } from '../../module.ts';
import { assertPrivateFile } from '../../platform/private-file.ts';
import { createExporter, type Exporter } from '../../platform/traces/exporter.ts';
import { receiveSpans } from '../../platform/traces/spans.ts';

const EXAMPLE = "SALLYPORT_TRACES_HEADERS_FILE='/etc/sallyport/traces.headers'";

/**
 * Reads headers, one `Name: value` per line.
 * @throws StartError if the file cannot be used, or other accounts can read it
 */
function readHeaders(file: string): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      `SALLYPORT_TRACES_HEADERS_FILE cannot be read: ${code}. Example: ${EXAMPLE}`,
    );
  }
  assertPrivateFile(file);
  const headers: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const [, name, value] = /^([\w-]{1,100}):[ \t]*([\x20-\x7e]{1,8192})$/.exec(line) ?? [];
    // The line may be a secret, so the message has only its number.
    if (name === undefined || value === undefined)
      throw new StartError(`${file}: line ${index + 1} is not a header such as Name: value.`);
    headers[name.toLowerCase()] = value.trim();
  }
  return headers;
}

/** Traces for OpenTelemetry, sent to a collector if the operator names one. */
export const traces = defineModule({
  name: 'traces',
  tables: [],
  create({ core: { config, log } }) {
    let exporter: Exporter | undefined;
    let release: (() => void) | undefined;
    return {
      service: {},
      start() {
        if (!config.traces) return;
        const { url, headersFile } = config.traces;
        exporter = createExporter({
          url,
          headers: headersFile ? readHeaders(headersFile) : {},
          log,
        });
        release = receiveSpans(exporter.add);
      },
      async stop() {
        release?.();
        await exporter?.stop();
      },
    };
  },
});
