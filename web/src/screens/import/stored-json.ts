/** Reads a value that this client stored in the browser; undefined where there is none, or another program's. */
export function parseStoredJson<Value>(key: string): Value | undefined {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? 'null') as Value | null) ?? undefined
  } catch {
    return undefined
  }
}
