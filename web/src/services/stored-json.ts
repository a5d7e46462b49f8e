/** Reads a value that this client has stored in the browser. Returns undefined if there is no valid one. */
export function readStoredJson<Value>(key: string): Value | undefined {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? 'null') as Value | null) ?? undefined
  } catch {
    return undefined
  }
}
