import { useState } from 'preact/hooks'
import { useServices } from '../../services/services.ts'
import { startSignIn } from '../../session/sign-in.ts'
import { t } from '../../texts/text.ts'
import { Dialog } from '../../ui/dialog.tsx'

/**
 * The session is over, and this page still holds what the person was doing. Signing in happens in a tab of its own, so
 * that nothing here is lost; the dialog goes when this browser has a session again.
 */
export function SessionEndedDialog() {
  const { configuration, router } = useServices()
  const [isPutAside, setPutAside] = useState(false)
  const signIn = () => {
    const { pathname, search } = router.address.peek()
    const tab = window.open('/login/?again')
    // A blocked tab: then this one has to go, and drafts bring back what was typed.
    if (tab === null) void startSignIn(configuration, pathname + search)
  }
  if (isPutAside)
    return (
      <div class="session-ended" role="status">
        <span>{t('Your session has ended.')}</span>
        <button type="button" class="button primary" onClick={signIn}>
          {t('Sign in again')}
        </button>
      </div>
    )
  return (
    <Dialog title={t('Your session has ended')} onClose={() => setPutAside(true)}>
      <p>
        {t(
          'It was ended elsewhere, or it has lasted eight hours. Sign in again to go on in this very place: nothing you typed is lost.',
        )}
      </p>
      <div class="form-buttons">
        <button type="button" class="button" onClick={() => setPutAside(true)}>
          {t('Not now')}
        </button>
        <button type="button" class="button primary" data-autofocus onClick={signIn}>
          {t('Sign in again')}
        </button>
      </div>
    </Dialog>
  )
}
