/** The path of a request target; queries may hold what must not be logged or compared. */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

/**
 * The path in its plainest spelling. Capitals, escapes and a slash at the end do not matter to the router, so two targets that
 * lead to the same route have the same plain path.
 */
export function plainPathOf(url: string): string {
  const path = decoded(pathOf(url).replace(/^https?:\/\/[^/]*/i, '')).toLowerCase()
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
