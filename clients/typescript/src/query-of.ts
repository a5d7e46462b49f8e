/** Keys that are absent are left out; an empty text is sent, and refused by name: it may have been meant as a filter. */
export function queryOf(query: object = {}): string {
  const given = Object.entries(query).flatMap(([key, value]): [string, string][] =>
    value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [[key, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
