import { type ReadonlySignal, signal } from '@preact/signals'

export interface Router {
  readonly address: ReadonlySignal<URL>
  /** Returns whether the address has changed since the app was loaded. */
  hasMoved(): boolean
  /** Navigates within the app. `replace` adds no step to the history. */
  go(to: string, options?: { readonly replace?: boolean }): void
  /**
   * Closes an assignment. Returns to the screen from which it was opened. If that is the project itself, the
   * screen gets the query of `to`, because the filters may have changed meanwhile. After a direct link, goes to
   * `to`, the path of the project.
   */
  close(to: string): void
  /** Changes only the query. Blank values are removed. */
  setQuery(values: Readonly<Record<string, string | undefined>>): void
}

/** The state that the browser stores with a step of the history. */
interface Step {
  readonly number: number
  /** The step from which an open assignment was opened. Undefined after a direct link. */
  readonly opener?: { readonly number: number; readonly pathname: string } | undefined
}

const currentStep = (): Step => history.state ?? { number: 0 }

/** Returns the next step. From assignment to assignment, the opener does not change. */
function nextStep(): Step {
  const { number, opener } = currentStep()
  const { pathname } = location
  return { number: number + 1, opener: isAssignment(pathname) ? opener : { number, pathname } }
}

/** Returns whether the path is the path of an open assignment. */
const isAssignment = (path: string): boolean =>
  ['/projects/:projectId/assignments/:assignmentId', '/a/:key'].some(
    (pattern) => matchPath(pattern, path) !== undefined,
  )

/** Creates a signal of the address. Links inside the page add history steps without loading a page. */
export function createRouter(): Router {
  const address = signal(new URL(location.href))
  let hasMoved = false
  /** The new address of the step to which `close` returns. Undefined if the step keeps its own. */
  let returnTo: string | undefined
  const update = () => {
    hasMoved = true
    address.value = new URL(location.href)
  }
  const go: Router['go'] = (to, { replace = false } = {}) => {
    // Without the origin, a path such as `//host` would lead to another site.
    const target = to.startsWith('/') ? location.origin + to : to
    if (replace) history.replaceState(history.state, '', target)
    else history.pushState(nextStep(), '', target)
    update()
  }
  addEventListener('popstate', () => {
    if (returnTo !== undefined) history.replaceState(history.state, '', returnTo)
    returnTo = undefined
    update()
  })
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
    close(to) {
      const { number, opener } = currentStep()
      if (opener === undefined) return go(to, { replace: true })
      if (opener.pathname === new URL(to, location.origin).pathname) returnTo = to
      history.go(opener.number - number)
    },
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

/** Returns the link of a plain click within this site. The browser handles all other clicks. */
function linkOf(event: MouseEvent): HTMLAnchorElement | undefined {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  if (!isPlain || event.defaultPrevented) return undefined
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const isSameSite = link?.origin === location.origin && !link.target && !link.hasAttribute('download')
  // The browser handles jumps within the page.
  const isJump = link?.getAttribute('href')?.startsWith('#') ?? false
  return link !== null && isSameSite && !isJump ? link : undefined
}

export type PathParameters = Readonly<Record<string, string>>

/**
 * Returns the parameters of a path for a pattern such as `/projects/:id`, or undefined if the path does not
 * match. `:id?` is optional.
 */
export function matchPath(pattern: string, path: string): PathParameters | undefined {
  const patternParts = partsOf(pattern)
  const pathParts = partsOf(path)
  if (pathParts.length > patternParts.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [index, part] of patternParts.entries()) {
    const value = pathParts[index]
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

/** Returns the path of a project. `query` has its filters. */
export const projectPath = (projectId: string, query = ''): string => `/projects/${projectId}${query}`

export const assignmentPath = (projectId: string, assignmentId: string, query = ''): string =>
  `/projects/${projectId}/assignments/${assignmentId}${query}`

/**
 * Returns the address of an invitation or of a password link. The secret is after the #, so browsers do not send
 * it to servers.
 */
export const linkAddress = (
  path: '/invitation' | '/new-password',
  { secret }: { readonly secret: string },
): string => `${location.origin}${path}#${secret}`

export interface ScreenProps {
  readonly parameters: PathParameters
}
