import { forbidden } from '../../model/problem.ts'
import type { Route } from './route.ts'

/** Where passwords are switched off, every route that sets one is refused: the password could not be used to sign in. */
export const withoutPasswords = (routes: readonly Route[], { passwords }: { readonly passwords: boolean }) =>
  passwords
    ? routes
    : routes.map((route): Route => (route.isForPasswords ? { ...route, handle: refuse } : route))

async function refuse(): Promise<never> {
  throw forbidden('Passwords are switched off here: people sign in by an outside provider.')
}
