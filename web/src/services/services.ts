import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Api, Page, ResourceName } from '../api/api.ts'
import type { LastSeen } from '../api/last-seen.ts'
import type { PageTracker } from '../api/page-tracker.ts'
import type { People } from '../api/people.ts'
import { sentenceOf } from '../api/problems.ts'
import type { Router } from '../router/router.ts'
import type { Configuration } from '../session/configuration.ts'
import type { Session } from '../session/session.ts'
import { type SignInOptions, startSignIn } from '../session/sign-in.ts'
import { type MessageKey, t } from '../texts/text.ts'
import type { Files } from './files.ts'
import type { Toasts } from './toasts.ts'

/** Objects that live as long as the page; created in main.tsx. */
export interface Services extends PageTracker {
  readonly configuration: Configuration
  readonly router: Router
  readonly session: Session
  readonly api: Api
  readonly files: Files
  readonly lastPages: LastPages
  readonly lastSeen: LastSeen
  readonly people: People
  readonly toasts: Toasts
}

export const ServicesContext = createContext<Services | undefined>(undefined)

export function useServices(): Services {
  const services = useContext(ServicesContext)
  if (services === undefined) throw new Error('useServices needs a ServicesContext around the component.')
  return services
}

/** Returns a function that leaves the page for the sign-in, or shows why that is not possible. */
export function useSignIn() {
  const { configuration, toasts } = useServices()
  return (returnTo: string, options?: SignInOptions): void => {
    startSignIn(configuration, returnTo, options).catch(({ message }: Error) =>
      toasts.show({ kind: 'problem', text: message }),
    )
  }
}

/**
 * Caches the last page of each list, so that a dialog or screen that opens again shows it during the reload.
 */
interface LastPages {
  find<Row>(key: string): Page<Row> | undefined
  set(key: string, page: Page<unknown>): void
  /** Notifies of a newer page of this list. Returns a function that ends the subscription. */
  onSet<Row>(key: string, listener: (page: Page<Row>) => void): () => void
}

/** Limits the cache to a few megabytes. The page that was set longest ago is dropped first. */
const pagesMax = 60

export function createLastPages(): LastPages {
  const pages = new Map<string, Page<unknown>>()
  const listeners = new Set<(key: string, page: Page<unknown>) => void>()
  return {
    find: <Row>(key: string) => pages.get(key) as Page<Row> | undefined,
    set(key, page) {
      pages.delete(key)
      pages.set(key, page)
      const [oldest] = pages.keys()
      if (pages.size > pagesMax && oldest !== undefined) pages.delete(oldest)
      for (const listener of listeners) listener(key, page)
    },
    onSet<Row>(key: string, listener: (page: Page<Row>) => void) {
      const onPage = (changedKey: string, page: Page<unknown>) =>
        changedKey === key && listener(page as Page<Row>)
      listeners.add(onPage)
      return () => void listeners.delete(onPage)
    },
  }
}

/**
 * Returns a function that removes records and shows a message with Undo, or the error. `message` replaces the
 * default message. `leave` goes to another screen before the message is shown.
 */
export function useRemoval() {
  const { api, toasts } = useServices()
  return async (
    resource: ResourceName,
    ids: string | readonly string[],
    name: string,
    message: MessageKey = '{name} was removed.',
    leave?: () => void,
  ): Promise<boolean> => {
    const removed = [ids].flat()
    const run = (operation: 'remove' | 'restore') => () =>
      api[operation](resource, removed).catch((error) => {
        throw new Error(`${name}: ${sentenceOf(error)}`)
      })
    const remove = run('remove')
    try {
      await remove()
    } catch (error) {
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
      return false
    }
    leave?.()
    toasts.show({ kind: 'done', text: t(message, { name }), undo: run('restore'), redo: remove })
    return true
  }
}
