import { homePath } from '../../router/addresses.ts'
import { useServices } from '../../services/services.ts'
import { forgetSession } from '../../session/stored-session.ts'
import { Alone } from '../../ui/alone.tsx'

/** The provider cannot tell whether the person wants to sign out, or another site has sent the browser there. */
export function SignOutPage({ logoutId }: { readonly logoutId: string }) {
  const { configuration } = useServices()
  return (
    <Alone title="Sign out?">
      <p>
        You are about to sign out of Tracker in this browser. If you did not ask for that, stay signed in.
      </p>
      <form
        class="form"
        method="post"
        action={`${configuration.issuer}/api/account/logout`}
        onSubmit={forgetSession}
      >
        <input type="hidden" name="logoutId" value={logoutId} />
        <button type="submit" class="button primary wide">
          Sign out
        </button>
        <a class="button wide" href={homePath}>
          Stay signed in
        </a>
      </form>
    </Alone>
  )
}
