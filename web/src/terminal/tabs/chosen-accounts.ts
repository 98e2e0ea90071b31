const STORAGE_KEY = 'sallyport-terminal-accounts';
/** Maximum remembered choices; the oldest are removed first. */
const KEPT = 300;

type Choices = readonly (readonly [person: string, asset: string, account: string])[];

function isChoice(value: unknown): value is Choices[number] {
  return (
    Array.isArray(value) && value.length === 3 && value.every((part) => typeof part === 'string')
  );
}

function read(): Choices {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isChoice) : [];
  } catch {
    return [];
  }
}

/**
 * Returns the account that the user chose last for an asset in this browser. The server decides if
 * the account is still granted.
 */
export function chosenAccount(person: string, asset: string): string | undefined {
  return read().find(([who, where]) => who === person && where === asset)?.[2];
}

/** Stores the account that the user chose for an asset. */
export function rememberAccount(person: string, asset: string, account: string): void {
  const others = read().filter(([who, where]) => who !== person || where !== asset);
  try {
    localStorage.setItem(
      STORAGE_KEY,
      JSON.stringify([[person, asset, account], ...others].slice(0, KEPT)),
    );
  } catch {
    // Without storage the user chooses again.
  }
}
