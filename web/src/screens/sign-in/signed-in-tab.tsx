import { useEffect } from 'preact/hooks'
import { t } from '../../texts/text.ts'
import { Alone } from '../../ui/alone.tsx'

/** The end of a sign-in in a tab of its own: the other tab goes on where it was. */
export function SignedInTab() {
  useEffect(() => window.close(), [])
  return (
    <Alone title={t('You are signed in again')}>
      <p>{t('Close this tab, and go on in the one you came from: everything there is as you left it.')}</p>
    </Alone>
  )
}
