import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { homePath } from '../router/router.ts'
import { SignedInTab, SignInCallback, SignInPage } from '../screens/sign-in/sign-in-page.tsx'
import { signInInNewTabPath } from '../screens/sign-in/sign-in-state.ts'
import { useServices, useSignIn } from '../services/services.ts'
import type { Session } from '../session/session.ts'
import { startSignIn } from '../session/sign-in.ts'
import { t } from '../texts/text.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Shell } from './shell.tsx'

/** Pages for signing in have no navigation. All other addresses are screens for users who are signed in. */
export function App() {
  const { router, session } = useServices()
  useReloadForAnotherUser(session.person.value?.id)
  const hadSession = useHadSession(session.state.value)
  const path = router.address.value.pathname.replace(/\/$/, '')
  if (path === '/login') return <SignInPage />
  if (path === '/signin-callback') return <SignInCallback />
  if (path === '/signed-in') return <SignedInTab />
  if (path === '/invitation' || path === '/new-password') return <LinkPage path={path} />
  if (session.state.value === 'signed-out' || !hadSession) return <RedirectToSignIn hadSession={hadSession} />
  return (
    <>
      <Shell />
      {session.state.value === 'ended' && <SessionEndedDialog />}
    </>
  )
}

/** The pages of invitation and password links. Few users need them, so they are a separate script. */
function LinkPage({ path }: { readonly path: '/invitation' | '/new-password' }) {
  const [Page, setPage] = useState<ComponentType>()
  useEffect(() => {
    import('../screens/links/link-pages.tsx').then(
      ({ InvitationPage, NewPasswordPage }) =>
        setPage(() => (path === '/invitation' ? InvitationPage : NewPasswordPage)),
      // The earlier script may no longer exist after an update of the client. The reloaded page uses the new
      // one.
      () => location.reload(),
    )
  }, [path])
  return Page ? <Page /> : null
}

/**
 * Returns whether the page has had a session since it was opened. If not, it has no input to lose, and may
 * redirect.
 */
function useHadSession(state: Session['state']['value']): boolean {
  const hadSession = useRef(false)
  if (state === 'signed-in') hadSession.current = true
  return hadSession.current
}

/** When another user signs in, the page is reloaded, so that no work of the previous user remains. */
function useReloadForAnotherUser(id: string | undefined): void {
  const firstId = useRef(id)
  useEffect(() => {
    firstId.current ??= id
    if (id !== undefined && id !== firstId.current) location.assign('/')
  }, [id])
}

/**
 * Reports that the session has ended. The user signs in in a separate tab, so that unsaved work on this page
 * is kept. The dialog closes when this browser has a session again.
 */
function SessionEndedDialog() {
  const { router } = useServices()
  const redirectToSignIn = useSignIn()
  const [isMinimized, setMinimized] = useState(false)
  const signIn = () => {
    const { pathname, search } = router.address.peek()
    const tab = window.open(signInInNewTabPath)
    // The browser has blocked the new tab, so this tab redirects. Drafts restore the typed text.
    if (tab === null) redirectToSignIn(pathname + search)
  }
  if (isMinimized)
    return (
      <div class="session-ended" role="status">
        <span>{t('Your session has ended.')}</span>
        <button type="button" class="button primary" onClick={signIn}>
          {t('Sign in again')}
        </button>
      </div>
    )
  return (
    <Dialog title={t('Your session has ended')} onClose={() => setMinimized(true)}>
      <p>
        {t(
          'It has lasted eight hours, was ended on another device, or could not be renewed. Sign in again to continue here: nothing you typed is lost.',
        )}
      </p>
      <div class="form-buttons">
        <button type="button" class="button" onClick={() => setMinimized(true)}>
          {t('Not now')}
        </button>
        <button type="button" class="button primary" data-autofocus onClick={signIn}>
          {t('Sign in again')}
        </button>
      </div>
    </Dialog>
  )
}

/** Redirects to the identity provider, which returns to the address that was opened. */
function RedirectToSignIn({ hadSession }: { readonly hadSession: boolean }) {
  const { configuration, router } = useServices()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    const { pathname, search } = router.address.peek()
    const returnTo = pathname === '/' ? homePath : pathname + search
    // Another tab may still be signing out at the provider, so the provider's session is not used.
    startSignIn(configuration, returnTo, { forcePrompt: hadSession }).catch(() =>
      setProblem(t('The sign-in service cannot be reached. Reload this page in a moment.')),
    )
  }, [configuration, router, hadSession])
  return (
    <main class="alone">
      <p role="status">{problem ?? t('Signing you in…')}</p>
    </main>
  )
}

/** Gives buttons that only show an icon their accessible name as a tooltip. */
export function addTooltips(): void {
  addEventListener('pointerover', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('.icon-only[aria-label]') : null
    if (button) button.title = button.getAttribute('aria-label') ?? ''
  })
}
