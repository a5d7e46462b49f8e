import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { homePath } from '../router/router.ts'
import { SessionEndedDialog, SignedInTab, SignInCallback } from '../screens/sign-in/sign-in-callback.tsx'
import { SignInPage } from '../screens/sign-in/sign-in-page.tsx'
import { useServices } from '../services/services.ts'
import type { Session } from '../session/session.ts'
import { startSignIn } from '../session/sign-in.ts'
import { t } from '../texts/text.ts'
import { Shell } from './shell.tsx'

/** Pages for signing in have no navigation; every other address is a screen for people who are signed in. */
export function App() {
  const { router, session } = useServices()
  useFreshPageForAnother(session.person.value?.id)
  const hadSession = useHadSession(session.state.value)
  const path = router.address.value.pathname.replace(/\/$/, '')
  if (path === '/login') return <SignInPage />
  if (path === '/signin-callback') return <SignInCallback />
  if (path === '/signed-in') return <SignedInTab />
  if (path === '/invitation' || path === '/new-password') return <LinkPage path={path} />
  if (session.state.value === 'signed-out' || !hadSession) return <Leaving hadSession={hadSession} />
  return (
    <>
      <Shell />
      {session.state.value === 'ended' && <SessionEndedDialog />}
    </>
  )
}

/** The pages of links. Few users need them, so they are a separate script. */
function LinkPage({ path }: { readonly path: '/invitation' | '/new-password' }) {
  const [Page, setPage] = useState<ComponentType>()
  useEffect(() => {
    import('../screens/links/link-pages.tsx').then(
      ({ InvitationPage, NewPasswordPage }) =>
        setPage(() => (path === '/invitation' ? InvitationPage : NewPasswordPage)),
      () => location.reload(),
    )
  }, [path])
  return Page ? <Page /> : null
}

/** A page that has not had a session since it was opened has nothing to lose: it redirects to the sign-in at once. */
function useHadSession(state: Session['state']['value']): boolean {
  const had = useRef(false)
  if (state === 'signed-in') had.current = true
  return had.current
}

/** When another user signs in, the page is reloaded, so that no work of the previous user remains. */
function useFreshPageForAnother(id: string | undefined): void {
  const first = useRef(id)
  useEffect(() => {
    first.current ??= id
    if (id !== undefined && id !== first.current) location.assign('/')
  }, [id])
}

/** Redirects to the provider, and returns to this same address. */
function Leaving({ hadSession }: { readonly hadSession: boolean }) {
  const { configuration, router } = useServices()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    const { pathname, search } = router.address.peek()
    const returnTo = pathname === '/' ? homePath : pathname + search
    // Signed out in another tab, whose sign-out at the provider may still be in progress.
    startSignIn(configuration, returnTo, { asks: hadSession }).catch(() =>
      setProblem(t('The sign-in service cannot be reached. Reload this page in a moment.')),
    )
  }, [configuration, router, hadSession])
  return (
    <main class="alone">
      <p role="status">{problem ?? t('Signing you in…')}</p>
    </main>
  )
}

/** A button that only shows an icon gets its accessible name as a tooltip. */
export function nameOnHover(): void {
  addEventListener('pointerover', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('.icon-only[aria-label]') : null
    if (button) button.title = button.getAttribute('aria-label') ?? ''
  })
}
