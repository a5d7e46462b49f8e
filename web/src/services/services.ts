import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Api } from '../api/api.ts'
import type { People } from '../api/people.ts'
import type { Sender } from '../api/send.ts'
import type { Router } from '../router/router.ts'
import type { Configuration } from '../session/configuration.ts'
import type { Session } from '../session/session.ts'
import type { LastPages } from './last-pages.ts'
import type { Toasts } from './toasts.ts'

/** Everything that exists as long as the page; made in main.tsx. */
export interface Services extends Sender {
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
