import { createIdentityAdministration, type SignInPolicy } from '../../api/identity.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { type MessageKey, t, tn } from '../../texts/text.ts'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { AdministrationTabs, policyPath } from './administration-tabs.tsx'

type Rule = SignInPolicy['rules'][number]

interface RuleLook {
  readonly label: MessageKey
  /** The value in a word. */
  stateOf?(value: Rule['value']): MessageKey
  /** The value as a sentence. */
  textOf(value: Rule['value']): string
}

const onOrOff = (value: Rule['value']): MessageKey => (value === true ? 'On' : 'Off')

/** How each rule is shown, by its name in the API. */
const rules: Readonly<Record<string, RuleLook>> = {
  passwords: {
    label: 'Passwords',
    stateOf: onOrOff,
    textOf: (value) =>
      value === true
        ? t('Users may sign in with a password.')
        : t('Users can sign in only through an external provider.'),
  },
  secondFactor: {
    label: 'Second factor',
    stateOf: (value) => (value === 'all' || value === 'administrators' ? 'Required' : 'Optional'),
    textOf: (value) =>
      value === 'all'
        ? t('Required for everyone.')
        : value === 'administrators'
          ? t('Required for administrators.')
          : t('Users may set one up in their accounts.'),
  },
  passkeyDomain: {
    label: 'Passkeys',
    stateOf: (value) => onOrOff(value !== null),
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
    stateOf: onOrOff,
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

/** Shows how users may sign in, and the settings that decide it, which only operators can change. */
export function SignInPolicyPage() {
  const { configuration, session } = useServices()
  const { value, problem, reload } = useLoaded('sign-in policy', [], () =>
    createIdentityAdministration(configuration, session).readPolicy(),
  )
  return (
    <Page title={t('Administration')}>
      <AdministrationTabs current={policyPath} />
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
          {value?.rules.map(({ name, value: ruleValue, setting }) => {
            const rule = rules[name]
            return (
              rule && (
                <SettingRow
                  key={name}
                  title={t(rule.label)}
                  state={rule.stateOf?.(ruleValue)}
                  text={rule.textOf(ruleValue)}
                  setting={setting}
                />
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
    </header>
    {providers.length === 0 && (
      <EmptyState icon="link" title={t('No provider is configured.')}>
        <p>{t('Operators can let users sign in with the accounts of another system.')}</p>
      </EmptyState>
    )}
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
  readonly state?: MessageKey | undefined
  readonly text: string
  readonly setting: string
}

const SettingRow = ({ title, state, text, setting }: SettingRowProps) => (
  <li class="row">
    <span class="row-text">
      <b>
        <bdi>{title}</bdi>
      </b>
      {state && (
        <span class="chip setting-state" data-color={state === 'Off' ? 'gray' : 'green'}>
          {t(state)}
        </span>
      )}
      <span class="quiet-text line" dir="auto">
        {text}
      </span>
    </span>
    <code class="setting-name">{setting}</code>
  </li>
)
