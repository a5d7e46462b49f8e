import { useId, useRef, useState } from 'preact/hooks'
import type { AccountSettings, AccountSettingsUpdate } from '#tracker-client'
import { sentenceOf } from '../../api/problems.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { type MessageKey, t } from '../../texts/text.ts'
import { kindNames } from '../../ui/notification-text.ts'
import { LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { SavedHeading } from '../../ui/settings-page.tsx'

type Frequency = NonNullable<AccountSettings['notificationMails']>
type Kind = NonNullable<AccountSettings['mutedKinds']>[number]

const frequencies: Readonly<Record<Frequency, MessageKey>> = {
  soon: 'Within five minutes, several in one mail',
  daily: 'Once a day',
  none: 'Never',
}

const kinds = Object.keys(kindNames) as Kind[]

/** The server uses these values for accounts without a choice. */
const defaults = { frequency: 'soon', hour: 8, timeZone: 'UTC' } as const

/** Lets the user choose which notifications are mailed, and when. Each choice is saved at once. */
export function NotificationsSection({ login }: { readonly login: string }) {
  const { configuration, toasts, tracker } = useServices()
  const [stored, setStored] = useState<AccountSettings>()
  const [unsent, setUnsent] = useState<AccountSettingsUpdate>({})
  const settings = stored && { ...stored, ...unsent }
  const lastRequest = useRef<Promise<unknown>>(Promise.resolve())
  /** Requests are sent one at a time, so that the server stores the choices in their order. */
  const send = (request: () => Promise<{ readonly settings: AccountSettings }>): Promise<void> => {
    const sent = lastRequest.current.then(async () => setStored((await request()).settings))
    lastRequest.current = sent.catch(() => undefined)
    return sent
  }
  const { problem, reload } = useLoaded('account settings', [], () =>
    send(() => tracker.call('GET /ext/settings')),
  )
  const [savedCount, setSavedCount] = useState(0)
  const change = async (body: AccountSettingsUpdate) => {
    setUnsent((last) => ({ ...last, ...body }))
    try {
      await send(() => tracker.call('PATCH /ext/settings', { body }))
      setSavedCount((count) => count + 1)
    } catch (error) {
      reload()
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
    setUnsent((last) => withoutSent(last, body))
  }
  const reason = reasonAgainstMails(configuration.notificationMails, login)
  return (
    <section aria-labelledby="notifications-title">
      <SavedHeading id="notifications-title" title={t('Notifications')} savedCount={savedCount} />
      <p class="form-note">
        {reason ?? t('Unread notifications are mailed to your login. Your inbox has all of them.')}
      </p>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {settings === undefined && !problem && <Skeleton as="rows" rows={2} cells="lines" />}
      {settings && !reason && <MailChoices settings={settings} onChange={(body) => void change(body)} />}
    </section>
  )
}

/** Keeps the settings that were changed again meanwhile. */
const withoutSent = (unsent: AccountSettingsUpdate, sent: AccountSettingsUpdate): AccountSettingsUpdate =>
  Object.fromEntries(
    Object.entries(unsent).filter(([name, value]) => sent[name as keyof AccountSettingsUpdate] !== value),
  )

function reasonAgainstMails(sendsMails: boolean, login: string): string | undefined {
  if (!sendsMails) return t('This server sends no mail. Your notifications are in your inbox.')
  return login.includes('@')
    ? undefined
    : t('Your login is not an email address, so nothing is mailed to you.')
}

interface MailChoicesProps {
  readonly settings: AccountSettings
  onChange(body: AccountSettingsUpdate): void
}

function MailChoices({ settings, onChange }: MailChoicesProps) {
  const frequency = settings.notificationMails ?? defaults.frequency
  const muted = settings.mutedKinds ?? []
  const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const zone = settings.timeZone ?? defaults.timeZone
  const hour = settings.notificationHour ?? defaults.hour
  return (
    <>
      <div class="setting-box">
        <Choice
          label={t('Mails')}
          value={frequency}
          choices={Object.entries(frequencies).map(([id, text]) => [id, t(text)])}
          // The server does not know the time zone of the browser, so it is sent with the choice.
          onChoose={(id) =>
            onChange({ notificationMails: id as Frequency, timeZone: settings.timeZone ?? browserZone })
          }
        />
        {frequency === 'daily' && (
          <>
            <Choice
              label={t('Hour of the day')}
              value={String(hour)}
              choices={Array.from({ length: 24 }, (_, index) => [
                String(index),
                `${String(index).padStart(2, '0')}:00`,
              ])}
              onChoose={(id) => onChange({ notificationHour: Number(id) })}
            />
            <Choice
              label={t('Time zone')}
              value={zone}
              choices={[...new Set([zone, browserZone, ...Intl.supportedValuesOf('timeZone')])]
                .sort()
                .map((id) => [id, id])}
              onChoose={(id) => onChange({ timeZone: id })}
            />
          </>
        )}
      </div>
      <fieldset class="setting-box" disabled={frequency === 'none'}>
        <legend class="visually-hidden">{t('What is mailed')}</legend>
        {kinds.map((kind) => (
          <label key={kind} class="setting-switch">
            {t(kindNames[kind])}
            <input
              type="checkbox"
              checked={!muted.includes(kind)}
              onChange={({ currentTarget }) =>
                onChange({
                  mutedKinds: currentTarget.checked
                    ? muted.filter((mutedKind) => mutedKind !== kind)
                    : [...muted, kind],
                })
              }
            />
          </label>
        ))}
      </fieldset>
    </>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly choices: readonly (readonly [id: string, name: string])[]
  onChoose(id: string): void
}

function Choice({ label, value, choices, onChoose }: ChoiceProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="input"
        value={value}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {choices.map(([choice, name]) => (
          <option key={choice} value={choice}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
