/** The path of a request target; queries may hold what must not be logged or compared. */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}
