import type { ComponentChildren } from 'preact'
import { createIdentityAdministration, type SignInPolicy } from '../../api/identity.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { type MessageKey, t, tn } from '../../texts/text.ts'
import { Page } from '../../ui/page.tsx'
import { LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { AdministrationTabs, CopiedName, policyPath } from './catalogs.tsx'

type Rule = SignInPolicy['rules'][number]

interface RuleLook {
  readonly label: MessageKey
  /** The value in a word or two. */
  stateOf(value: Rule['value']): string
  /** The value as a sentence. */
  textOf(value: Rule['value']): string
  /** Says whether the value turns on something that protects or connects accounts. */
  isOn?(value: Rule['value']): boolean
  /** Returns the state and sentence to show instead if another rule makes the value useless. */
  conflictOf?(value: Rule['value'], rules: SignInPolicy['rules']): Conflict | undefined
}

interface Conflict {
  readonly state: string
  readonly text: string
}

interface Box {
  readonly id: string
  readonly title: MessageKey
  readonly looks: Readonly<Record<string, RuleLook>>
}

const onOrOff = (isOn: boolean): string => (isOn ? t('On') : t('Off'))

/** The boxes of the page. Each describes some rules, by their names in the API. */
const boxes: readonly Box[] = [
  {
    id: 'policy-ways',
    title: 'Ways to sign in',
    looks: {
      passwords: {
        label: 'Passwords',
        isOn: (value) => value === true,
        stateOf: (value) => onOrOff(value === true),
        textOf: (value) =>
          value === true
            ? t('Users may sign in with a password.')
            : t('Users can sign in only through an external provider.'),
      },
      secondFactor: {
        label: 'Second factor',
        isOn: (value) => value === 'all' || value === 'administrators',
        stateOf: (value) => (value === 'all' || value === 'administrators' ? t('Required') : t('Optional')),
        textOf: (value) => {
          if (value === 'all') return t('Required for everyone.')
          if (value === 'administrators') return t('Required for administrators.')
          return t('Users may set one up in their accounts.')
        },
      },
      passkeyDomain: {
        label: 'Passkeys',
        isOn: (value) => value !== null,
        stateOf: (value) => onOrOff(value !== null),
        textOf: (value) =>
          value === null
            ? t('Not available at this address.')
            : t('Registered for {domain}, and valid only there.', { domain: String(value) }),
      },
      inactivityMinutes: {
        label: 'Inactivity limit',
        isOn: (value) => value !== 0,
        stateOf: (value) => (value === 0 ? t('None') : t('{count} min', { count: Number(value) })),
        textOf: (value) =>
          value === 0
            ? t('Sessions end only eight hours after the sign-in.')
            : tn(
                Number(value),
                'Sessions end after 1 minute without use, and eight hours after the sign-in.',
                'Sessions end after {count} minutes without use, and eight hours after the sign-in.',
              ),
      },
    },
  },
  {
    id: 'policy-accounts',
    title: 'Accounts and mail',
    looks: {
      loginsAreVerified: {
        label: 'Verification of email addresses',
        conflictOf: (value, rules) =>
          value === true || rules.some((rule) => rule.name === 'mail' && rule.value === true)
            ? undefined
            : {
                state: t('Not possible'),
                text: t('Logins are verified by a mailed link, but mail is off.'),
              },
        stateOf: (value) => (value === true ? t('Not needed') : t('By mail')),
        textOf: (value) =>
          value === true
            ? t('Every login that is an email address counts as verified.')
            : t('A login counts as verified once a link mailed to it has been used.'),
      },
      mail: {
        label: 'Mail',
        isOn: (value) => value === true,
        stateOf: (value) => onOrOff(value === true),
        textOf: (value) =>
          value === true
            ? t('The server sends invitations, password links and notifications.')
            : t('The server sends no mail: pass links on yourself.'),
      },
      administrators: {
        label: 'Permanent administrators',
        stateOf: (value) => (value === 0 ? t('None') : tn(Number(value), '1 login', '{count} logins')),
        textOf: (value) =>
          value === 0
            ? t('No logins are set. If the first start created an account, that account has the role.')
            : tn(
                Number(value),
                '1 login is always administrator.',
                '{count} logins are always administrators.',
              ),
      },
    },
  },
]

/** Shows how users may sign in, and the settings for this. Only operators can change the settings. */
export function SignInPolicyPage() {
  const { configuration, session } = useServices()
  const { value, problem, reload } = useLoaded('sign-in policy', [], () =>
    createIdentityAdministration(configuration, session).readPolicy(),
  )
  return (
    <Page title={t('Administration')}>
      <AdministrationTabs current={policyPath} />
      <div class="sections">
        <p class="form-note">
          <b>{t('Read only.')}</b>{' '}
          {t(
            'The environment variables next to the titles decide how users may sign in. To change it, set the variable and restart the server.',
          )}
        </p>
        {problem && <LoadProblem problem={problem} onRetry={reload} />}
        {value === undefined && !problem && <Skeleton as="rows" rows={7} cells="lines text" />}
        {value && boxes.map((box) => <Rules key={box.id} {...box} rules={value.rules} />)}
        {value && <Providers providers={value.providers} />}
      </div>
    </Page>
  )
}

const Rules = ({ id, title, looks, rules }: Box & Pick<SignInPolicy, 'rules'>) => (
  <section aria-labelledby={id}>
    <h2 id={id}>{t(title)}</h2>
    <ul class="rows">
      {rules.map(({ name, value, setting }) => {
        const look = looks[name]
        if (look === undefined) return null
        const conflict = look.conflictOf?.(value, rules)
        return (
          <SettingRow
            key={name}
            title={t(look.label)}
            text={conflict?.text ?? look.textOf(value)}
            setting={setting}
          >
            <State isOn={look.isOn?.(value)} isConflict={conflict !== undefined}>
              {conflict?.state ?? look.stateOf(value)}
            </State>
          </SettingRow>
        )
      })}
    </ul>
  </section>
)

const Providers = ({ providers }: Pick<SignInPolicy, 'providers'>) => (
  <section aria-labelledby="providers-title">
    <h2 id="providers-title">{t('External providers')}</h2>
    <ul class="rows">
      {providers.length === 0 && (
        <li class="row">
          <span class="row-text">
            {t('No provider is configured.')}
            <span class="quiet-text line">
              {t('Operators can let users sign in with the accounts of another system.')}
            </span>
          </span>
        </li>
      )}
      {providers.map(({ id, name, issuer, createAccounts, linkByVerifiedEmail, setting }) => (
        <SettingRow key={id} title={name} text={issuer} setting={setting}>
          <State isOn={createAccounts}>
            {createAccounts ? t('Creates accounts') : t('Creates no accounts')}
          </State>
          {linkByVerifiedEmail && <State isOn>{t('Connects accounts by verified address')}</State>}
        </SettingRow>
      ))}
    </ul>
  </section>
)

interface SettingRowProps {
  readonly title: string
  readonly text: string
  readonly setting: string
  /** The states of the setting, each as a `State`. */
  readonly children: ComponentChildren
}

const SettingRow = ({ title, text, setting, children }: SettingRowProps) => (
  <li class="row">
    <span class="row-text">
      <span class="setting-title">
        <bdi>{title}</bdi> <CopiedName name={setting} />
      </span>
      <span class="quiet-text line" dir="auto">
        {text}
      </span>
    </span>
    <span class="setting-states">{children}</span>
  </li>
)

interface StateProps {
  readonly isOn?: boolean | undefined
  /** True if another setting makes this one useless. */
  readonly isConflict?: boolean
  readonly children: ComponentChildren
}

/** Shows the words for a state, on green if it is on. */
const State = ({ isOn = false, isConflict = false, children }: StateProps) => (
  <span class="setting-state" data-color={isConflict ? 'amber' : isOn ? 'green' : undefined}>
    {children}
  </span>
)
