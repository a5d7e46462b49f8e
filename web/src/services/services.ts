import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Api, Page } from '../api/api.ts'
import type { PageTracker } from '../api/page-tracker.ts'
import type { People } from '../api/people.ts'
import type { Router } from '../router/router.ts'
import type { Configuration } from '../session/configuration.ts'
import type { Session } from '../session/session.ts'
import type { Toasts } from './toasts.ts'

/** Everything that exists as long as the page; created in main.tsx. */
export interface Services extends PageTracker {
  readonly configuration: Configuration
  readonly router: Router
  readonly session: Session
  readonly api: Api
  readonly lastPages: LastPages
  readonly people: People
  readonly toasts: Toasts
}

export const ServicesContext = createContext<Services | undefined>(undefined)

export function useServices(): Services {
  const services = useContext(ServicesContext)
  if (services === undefined) throw new Error('This component stands outside the application.')
  return services
}

/** The last known rows of lists, so that a dialog or screen that opens again shows them while they reload. */
interface LastPages {
  find<Row>(path: string): Page<Row> | undefined
  keep(path: string, page: Page<unknown>): void
  /** Notifies other users of this list of newer rows. Returns a function that ends the subscription. */
  onKept<Row>(path: string, listener: (page: Page<Row>) => void): () => void
}

/** Some megabytes at most; the oldest is dropped first. */
const pagesMax = 60

export function createLastPages(): LastPages {
  const pages = new Map<string, Page<unknown>>()
  const listeners = new Set<(path: string, page: Page<unknown>) => void>()
  return {
    find: <Row>(path: string) => pages.get(path) as Page<Row> | undefined,
    keep(path, page) {
      pages.delete(path)
      pages.set(path, page)
      const [oldest] = pages.keys()
      if (pages.size > pagesMax && oldest !== undefined) pages.delete(oldest)
      for (const listener of listeners) listener(path, page)
    },
    onKept<Row>(path: string, listener: (page: Page<Row>) => void) {
      const hear = (kept: string, page: Page<unknown>) => kept === path && listener(page as Page<Row>)
      listeners.add(hear)
      return () => void listeners.delete(hear)
    },
  }
}
