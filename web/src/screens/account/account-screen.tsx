import type { Account } from '../../api/types.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { LoadProblem } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ConsentsSection } from './consents-section.tsx'
import { FactorsSection } from './factors-section.tsx'
import { IdentitiesSection } from './identities-section.tsx'
import { LanguageSection } from './language-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { TokensSection } from './tokens-section.tsx'

/** The person's own account. */
export function AccountScreen() {
  const { api, configuration } = useServices()
  const { value: account, problem, reload } = useLoaded('me', [], () => api.me())
  return (
    <Page title={t('My account')}>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {account === undefined && !problem && <Skeleton as="boxes" blocks={6} rows={3} cells="lines" />}
      {account && (
        <div class="sections">
          <NameSection account={account} onSaved={reload} />
          <LanguageSection />
          <PasswordSection login={account.login} />
          {configuration.extensions && <FactorsSection />}
          {configuration.extensions && <IdentitiesSection />}
          <SessionsSection />
          {configuration.extensions && <ConsentsSection />}
          <TokensSection />
        </div>
      )}
    </Page>
  )
}

function NameSection({ account, onSaved }: { readonly account: Account; onSaved(): void }) {
  const { api, session, toasts } = useServices()
  const form = useForm({
    draft: 'account',
    initial: { name: account.name },
    async submit(values) {
      await api.rename(values.name)
      form.follow(values)
      toasts.show({ kind: 'done', text: t('Your name was saved.') })
      onSaved()
      // The name in the bar above comes from a token, and the next one has the new name.
      await session.accessToken().then(session.renewedToken, () => undefined)
    },
  })
  return (
    <section aria-labelledby="name-title">
      <h2 id="name-title">{t('Who you are')}</h2>
      <dl class="facts">
        <dt>{t('Login')}</dt>
        <dd>{account.login}</dd>
      </dl>
      <Form form={form} submitLabel={t('Save')} isIdle={!form.isChanged.value} onCancel={() => undefined}>
        <TextField form={form} name="name" label={t('Name')} required autocomplete="name" />
      </Form>
    </section>
  )
}
