import { homePath } from '../../router/addresses.ts'
import { useServices } from '../../services/services.ts'
import { forgetSession } from '../../session/stored-session.ts'
import { t } from '../../texts/text.ts'
import { Alone } from '../../ui/alone.tsx'

/** Another site has sent the browser to the sign-out of the provider. */
export function SignOutPage({ logoutId }: { readonly logoutId: string }) {
  const { configuration } = useServices()
  return (
    <Alone title={t('Sign out?')}>
      <p>
        {t(
          'You are about to sign out of Tracker in this browser. If you did not ask for that, stay signed in.',
        )}
      </p>
      <form
        class="form"
        method="post"
        action={`${configuration.issuer}/api/account/logout`}
        onSubmit={forgetSession}
      >
        <input type="hidden" name="logoutId" value={logoutId} />
        <button type="submit" class="button primary wide">
          {t('Sign out')}
        </button>
        <a class="button wide" href={homePath}>
          {t('Stay signed in')}
        </a>
      </form>
    </Alone>
  )
}
