import { useEffect, useState } from 'preact/hooks'
import { useServices } from '../../services/services.ts'
import { completeSignIn } from '../../session/sign-in.ts'
import { t } from '../../texts/text.ts'
import { Alone } from '../../ui/alone.tsx'

/** Where the provider's answer arrives; goes on to what the person first asked for. */
export function SignInCallback() {
  const { configuration, router, session } = useServices()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    completeSignIn(configuration, router.address.peek().searchParams)
      .then(({ tokens, returnTo }) => {
        session.begin(tokens)
        router.go(returnTo, { replace: true })
      })
      .catch((error: Error) => setProblem(error.message))
  }, [configuration, router, session])
  if (problem === undefined)
    return (
      <main class="alone">
        <p role="status">{t('One moment, you are being signed in…')}</p>
      </main>
    )
  return (
    <Alone title={t('Signing in did not work')}>
      <p role="alert">{problem}</p>
      <a class="button primary wide" href="/login/">
        {t('Start again')}
      </a>
    </Alone>
  )
}
