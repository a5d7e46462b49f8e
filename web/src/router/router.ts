import { type ReadonlySignal, signal } from '@preact/signals'

export interface Router {
  /** The current address. */
  readonly address: ReadonlySignal<URL>
  /** Returns whether the user came from another address of this page. */
  hasMoved(): boolean
  /** Navigates within the page; `replace` adds no step to the history. */
  go(to: string, options?: { readonly replace?: boolean }): void
  /** Changes only the query, in place; blank values are removed from it. */
  setQuery(values: Readonly<Record<string, string | undefined>>): void
}

/** The address bar as a signal. Links inside the page become history steps, without loading a page. */
export function createRouter(): Router {
  const address = signal(new URL(location.href))
  let hasMoved = false
  const follow = () => {
    hasMoved = true
    address.value = new URL(location.href)
  }
  const go: Router['go'] = (to, { replace = false } = {}) => {
    // Joined, because a path that begins with two slashes would be read as another site.
    const target = to.startsWith('/') ? location.origin + to : to
    if (replace) history.replaceState(null, '', target)
    else history.pushState(null, '', target)
    follow()
  }
  addEventListener('popstate', follow)
  document.addEventListener('click', (event) => {
    const link = linkOf(event)
    if (link === undefined) return
    event.preventDefault()
    if (link.href !== location.href) go(link.href)
  })
  return {
    address,
    hasMoved: () => hasMoved,
    go,
    setQuery(values) {
      const next = new URL(address.value)
      for (const [name, value] of Object.entries(values)) {
        if (value) next.searchParams.set(name, value)
        else next.searchParams.delete(name)
      }
      if (next.href !== address.value.href) go(next.href, { replace: true })
    },
  }
}

/** The link of a plain click that stays on this site; the browser handles all others. */
function linkOf(event: MouseEvent): HTMLAnchorElement | undefined {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  if (!isPlain || event.defaultPrevented) return undefined
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const isOurs = link?.origin === location.origin && !link.target && !link.hasAttribute('download')
  // The browser also handles a jump inside the page.
  const isJump = link?.getAttribute('href')?.startsWith('#') ?? false
  return link !== null && isOurs && !isJump ? link : undefined
}

export type PathParameters = Readonly<Record<string, string>>

/** The parameters of a path such as `/projects/:id`, or undefined if it does not match; `:id?` is optional. */
export function matchPath(pattern: string, path: string): PathParameters | undefined {
  const wanted = partsOf(pattern)
  const given = partsOf(path)
  if (given.length > wanted.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index]
    if (!part.startsWith(':')) {
      if (part !== value) return undefined
      continue
    }
    const name = part.replace(/^:|\?$/g, '')
    if (value !== undefined) parameters[name] = decode(value)
    else if (!part.endsWith('?')) return undefined
  }
  return parameters
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')

/** An invalid escape must not break the page. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** The first screen after signing in. */
export const homePath = '/my-work'

/** Addresses of a project and its open assignment; the filters are kept. */
export const projectPath = (projectId: string, query = ''): string => `/projects/${projectId}${query}`

export const assignmentPath = (projectId: string, assignmentId: string, query = ''): string =>
  `/projects/${projectId}/assignments/${assignmentId}${query}`

/** The address of a page that a link opens. The part after the # is sent to no server and written to no log. */
export const linkAddress = (
  path: '/invitation' | '/new-password',
  { secret }: { readonly secret: string },
): string => `${location.origin}${path}#${secret}`

export interface ScreenProps {
  readonly parameters: PathParameters
}
