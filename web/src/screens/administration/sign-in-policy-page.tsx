import { createIdentityAdministration, type SignInPolicy } from '../../api/identity.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { type MessageKey, t, tn } from '../../texts/text.ts'
import { LoadProblem } from '../../ui/notes.tsx'
import { Page, type Tab, Tabs } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

type Rule = SignInPolicy['rules'][number]

/** The labels of the rules, by their names in the API, and their values as sentences. */
const rules: Readonly<Record<string, { readonly label: MessageKey; textOf(value: Rule['value']): string }>> =
  {
    passwords: {
      label: 'Passwords',
      textOf: (value) =>
        value === true
          ? t('Users may sign in with a password.')
          : t('Users can sign in only through an external provider.'),
    },
    secondFactor: {
      label: 'Second factor',
      textOf: (value) =>
        value === 'all'
          ? t('Required for everyone.')
          : value === 'administrators'
            ? t('Required for administrators.')
            : t('Optional.'),
    },
    passkeyDomain: {
      label: 'Passkeys',
      textOf: (value) =>
        value === null
          ? t('Not available at this address.')
          : t('They work at {domain}.', { domain: String(value) }),
    },
    inactivityMinutes: {
      label: 'Inactive sessions',
      textOf: (value) =>
        value === 0
          ? t('Sessions end eight hours after the sign-in.')
          : tn(
              Number(value),
              'Sessions end after 1 minute without use, and eight hours after the sign-in.',
              'Sessions end after {count} minutes without use, and eight hours after the sign-in.',
            ),
    },
    loginsAreVerified: {
      label: 'Logins that are email addresses',
      textOf: (value) =>
        value === true
          ? t('Every login that is an address counts as verified.')
          : t('A login counts as verified once a link mailed to it was used.'),
    },
    mail: {
      label: 'Mail',
      textOf: (value) =>
        value === true
          ? t('The server sends invitations, password links and notifications.')
          : t('The server sends no mail: pass links on yourself.'),
    },
    administrators: {
      label: 'Administrators by settings',
      textOf: (value) =>
        value === 0
          ? t('None: the account of the first start is the administrator.')
          : tn(Number(value), '1 login always has the role.', '{count} logins always have the role.'),
    },
  }

/** Shows how users may sign in, and which setting of the server decides it. Operators change the settings. */
export function SignInPolicyPage({ tabs }: { readonly tabs: readonly Tab[] }) {
  const { configuration, session } = useServices()
  const { value, problem, reload } = useLoaded('sign-in policy', [], () =>
    createIdentityAdministration(configuration, session).readPolicy(),
  )
  return (
    <Page title={t('Administration')}>
      <Tabs label={t('Administration')} tabs={tabs} />
      <section class="group" aria-labelledby="policy-title">
        <header class="group-header">
          <h2 id="policy-title">{t('Sign-in')}</h2>
          <p class="quiet-text">
            {t('How users may sign in. Operators change the settings of the server and restart it.')}
          </p>
        </header>
        {problem && <LoadProblem problem={problem} onRetry={reload} />}
        {value === undefined && !problem && <Skeleton as="rows" rows={7} cells="lines text" />}
        <ul class="rows">
          {value?.rules.map(({ name, value: set, setting }) => {
            const rule = rules[name]
            return (
              rule && (
                <SettingRow key={name} title={t(rule.label)} text={rule.textOf(set)} setting={setting} />
              )
            )
          })}
        </ul>
      </section>
      {value && <Providers providers={value.providers} />}
    </Page>
  )
}

const Providers = ({ providers }: Pick<SignInPolicy, 'providers'>) => (
  <section class="group" aria-labelledby="providers-title">
    <header class="group-header">
      <h2 id="providers-title">{t('External providers')}</h2>
      {providers.length === 0 && <p class="quiet-text">{t('No provider is configured.')}</p>}
    </header>
    <ul class="rows">
      {providers.map(({ id, name, issuer, createAccounts, linkByVerifiedEmail, setting }) => (
        <SettingRow
          key={id}
          title={name}
          text={[
            issuer,
            createAccounts ? t('creates accounts') : t('creates no accounts'),
            linkByVerifiedEmail ? t('connects accounts by verified address') : undefined,
          ]
            .filter((part) => part !== undefined)
            .join(' · ')}
          setting={setting}
        />
      ))}
    </ul>
  </section>
)

interface SettingRowProps {
  readonly title: string
  readonly text: string
  readonly setting: string
}

const SettingRow = ({ title, text, setting }: SettingRowProps) => (
  <li class="row">
    <span class="row-text">
      <bdi>{title}</bdi>
      <span class="quiet-text line" dir="auto">
        {text}
      </span>
    </span>
    <code class="setting-name">{setting}</code>
  </li>
)
