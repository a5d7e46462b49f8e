/** Keys that are absent are left out; an empty text is sent and rejected by name, because it may be meant as a filter. */
export function queryOf(query: object = {}): string {
  const given = Object.entries(query).flatMap(([key, value]): [string, string][] =>
    value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [[key, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
