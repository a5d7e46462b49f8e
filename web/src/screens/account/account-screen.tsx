import { useState } from 'preact/hooks'
import { type Account, TrackerError } from '#tracker-client'
import { sentenceOf } from '../../api/problems.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form, useForm } from '../../forms/form.tsx'
import { useServices } from '../../services/services.ts'
import {
  changeSettings,
  chooseLanguage,
  chosenTheme,
  currentDensity,
  type Density,
  type Theme,
} from '../../services/settings.ts'
import { currentLanguage, languages } from '../../texts/language.ts'
import { type MessageKey, t, tx } from '../../texts/text.ts'
import { NewPasswordField } from '../../ui/form-fields.tsx'
import { Page } from '../../ui/page.tsx'
import { LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { useSecondsUntil } from '../../ui/relative-time.tsx'
import { IndexedPart, SavedHeading, SideIndex } from '../../ui/settings-page.tsx'
import { ConsentsSection, IdentitiesSection, SessionsSection } from './access-sections.tsx'
import { FactorsSection } from './factors-section.tsx'
import { NotificationsSection } from './notifications-section.tsx'
import { TokensSection } from './tokens-section.tsx'

const allParts: readonly {
  readonly id: string
  readonly label: MessageKey
  readonly isExtension?: true
}[] = [
  { id: 'profile', label: 'Profile' },
  { id: 'appearance', label: 'Appearance' },
  { id: 'notifications', label: 'Notifications', isExtension: true },
  { id: 'password', label: 'Password' },
  { id: 'second-factor', label: 'Second factor', isExtension: true },
  { id: 'sessions', label: 'Sessions' },
  { id: 'tokens', label: 'Personal access tokens' },
]

/** Shows the account of the user. */
export function AccountScreen() {
  const { configuration, tracker } = useServices()
  const parts = allParts.filter(({ isExtension }) => configuration.extensions || !isExtension)
  const { value: account, problem, reload } = useLoaded('me', [], () => tracker.call('GET /api/me'))
  return (
    <Page title={t('My account')}>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {account === undefined && !problem && <Skeleton as="boxes" blocks={6} rows={3} cells="lines" />}
      {account && (
        <SideIndex parts={parts.map(({ id, label }) => ({ id, label: t(label) }))}>
          <IndexedPart id="profile">
            <NameSection account={account} onSaved={reload} />
          </IndexedPart>
          <IndexedPart id="appearance">
            <AppearanceSection />
          </IndexedPart>
          {configuration.extensions && (
            <IndexedPart id="notifications">
              <NotificationsSection login={account.login} />
            </IndexedPart>
          )}
          <IndexedPart id="password">
            <PasswordSection login={account.login} />
          </IndexedPart>
          {configuration.extensions && (
            <IndexedPart id="second-factor">
              <FactorsSection />
              <IdentitiesSection />
            </IndexedPart>
          )}
          <IndexedPart id="sessions">
            <SessionsSection />
            {configuration.extensions && <ConsentsSection />}
          </IndexedPart>
          <IndexedPart id="tokens">
            <TokensSection />
          </IndexedPart>
        </SideIndex>
      )}
    </Page>
  )
}

function NameSection({ account, onSaved }: { readonly account: Account; onSaved(): void }) {
  const { session, toasts, tracker } = useServices()
  const form = useForm({
    draft: 'account',
    initial: { name: account.name },
    async submit(values) {
      await tracker.call('PATCH /api/me', { body: values })
      form.follow(values)
      toasts.show({ kind: 'done', text: t('Your name was saved.') })
      onSaved()
      // The header shows the name from the access token, so a new token is needed.
      await session.accessToken().then(session.renewToken, () => undefined)
    },
  })
  return (
    <section aria-labelledby="name-title">
      <SavedHeading id="name-title" title={t('Profile')} isChanged={form.isChanged.value} form={form} />
      <div class="setting-box">
        {/* The Cancel button restores the name itself, but is only shown if `onCancel` is passed. */}
        <Form form={form} submitLabel={t('Save')} isIdle={!form.isChanged.value} onCancel={() => undefined}>
          <dl class="field">
            <dt class="setting-label">{t('Login')}</dt>
            <dd>{account.login}</dd>
          </dl>
          <TextField
            form={form}
            name="name"
            label={t('Name')}
            hint={t('Shown to everyone you work with.')}
            required
            autocomplete="name"
          />
        </Form>
      </div>
    </section>
  )
}

/** Changes the user's password. Because the server then ends all sessions, the client signs out. */
function PasswordSection({ login }: { readonly login: string }) {
  const { session, tracker } = useServices()
  const [lockout, setLockout] = useState<{ readonly until: number; readonly text: string }>()
  const seconds = useSecondsUntil(lockout?.until)
  const form = useForm({
    initial: { currentPassword: '', newPassword: '' },
    async submit(body) {
      try {
        // Retries would delay the message about a lockout.
        await tracker.call('POST /api/me/password', { body }, { retries: 0 })
      } catch (error) {
        if (!(error instanceof TrackerError && error.status === 429 && error.retryAfterSeconds)) throw error
        return setLockout({ until: Date.now() + error.retryAfterSeconds * 1000, text: sentenceOf(error) })
      }
      await session.signOut()
    },
  })
  return (
    <section aria-labelledby="password-title">
      <h2 id="password-title">{t('Password')}</h2>
      <p class="form-note">
        {t('Changing it signs you out here and on every other device. Then sign in with the new one.')}
      </p>
      {seconds > 0 && (
        <p class="form-problem" role="alert">
          {lockout?.text}{' '}
          {tx('You can try again in {time} minutes.', {
            time: (
              <strong aria-live="off">
                {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, '0')}
              </strong>
            ),
          })}
        </p>
      )}
      <div class="setting-box">
        <Form form={form} submitLabel={t('Change password')} isDisabled={seconds > 0}>
          {/* Password managers need the login to find the account. */}
          <input
            class="visually-hidden"
            type="text"
            autocomplete="username"
            value={login}
            readOnly
            tabIndex={-1}
            aria-hidden="true"
          />
          <TextField
            form={form}
            name="currentPassword"
            label={t('Current password')}
            type="password"
            autocomplete="current-password"
            required
          />
          <NewPasswordField form={form} name="newPassword" label={t('New password')} required />
        </Form>
      </div>
    </section>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly choices: readonly { readonly id: string; readonly name: string; readonly lang?: string }[]
  /** Explains the choice, below its label. */
  readonly note?: string
  onChange(id: string): void
}

const Choice = ({ name, label, value, choices, note, onChange }: ChoiceProps) => (
  <div class="field">
    <label for={`appearance-${name}`}>{label}</label>
    {note && (
      <p class="field-hint" id={`appearance-${name}-note`}>
        {note}
      </p>
    )}
    <select
      id={`appearance-${name}`}
      aria-describedby={note && `appearance-${name}-note`}
      class="input"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      {choices.map((choice) => (
        <option key={choice.id} value={choice.id} lang={choice.lang}>
          {choice.name}
        </option>
      ))}
    </select>
  </div>
)

/** Lets the user choose language, theme and density. With the extensions, they apply on all devices. */
function AppearanceSection() {
  const services = useServices()
  const [savedCount, setSavedCount] = useState(0)
  const change = async (settings: Parameters<typeof changeSettings>[1]) => {
    if (await changeSettings(services, settings)) setSavedCount((count) => count + 1)
  }
  return (
    <section aria-labelledby="appearance-title">
      <SavedHeading id="appearance-title" title={t('Appearance')} savedCount={savedCount} />
      <p class="form-note">
        {services.configuration.extensions
          ? t('Your choices apply on all your devices.')
          : t('Your choices apply in this browser only.')}
      </p>
      <div class="setting-box">
        <Choice
          name="language"
          label={t('Language')}
          value={currentLanguage().id}
          choices={languages.map(({ id, name }) => ({ id, name, lang: id }))}
          note={t('Applies to texts, dates and numbers here, and to mails.')}
          onChange={(id) => void chooseLanguage(services, id)}
        />
        <Choice
          name="theme"
          label={t('Theme')}
          value={chosenTheme.value ?? ''}
          choices={[
            { id: '', name: t('As on the device') },
            { id: 'light', name: t('Light') },
            { id: 'dark', name: t('Dark') },
          ]}
          onChange={(id) => void change({ theme: id === '' ? null : (id as Theme) })}
        />
        <Choice
          name="density"
          label={t('Density')}
          note={t('Compact shows more at once. Touch screens keep room for fingers.')}
          value={currentDensity.value}
          choices={[
            { id: 'comfortable', name: t('Comfortable') },
            { id: 'compact', name: t('Compact') },
          ]}
          onChange={(id) => void change({ density: id as Density })}
        />
      </div>
    </section>
  )
}
