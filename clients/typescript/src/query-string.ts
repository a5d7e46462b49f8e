/** Absent keys are left out. An empty text is sent, and rejected by the host, because it may be meant as a filter. */
export function queryString(query: object = {}): string {
  const entries = Object.entries(query).flatMap(([key, value]): [string, string][] =>
    value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [[key, String(value)]],
  )
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`
}
