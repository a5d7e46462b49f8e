import { useEffect } from 'preact/hooks'
import { Alone } from '../../ui/alone.tsx'

/** The end of a sign-in in a tab of its own: the other tab goes on where it was. */
export function SignedInTab() {
  useEffect(() => window.close(), [])
  return (
    <Alone title="You are signed in again">
      <p>Close this tab, and go on in the one you came from: everything there is as you left it.</p>
    </Alone>
  )
}
