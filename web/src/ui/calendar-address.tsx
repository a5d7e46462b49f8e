import { useState } from 'preact/hooks'
import { SelectField } from '../forms/fields.tsx'
import { Form, useForm } from '../forms/form.tsx'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Secret } from './copy.tsx'
import { Dialog } from './dialog.tsx'

interface SubscribeDialogProps {
  readonly projectId: string
  onClose(): void
}

const validDays = 365

/** Creates an address with which other calendar programs show the assignments. */
export function SubscribeDialog({ projectId, onClose }: SubscribeDialogProps) {
  const { configuration, tracker } = useServices()
  const [address, setAddress] = useState<string>()
  const form = useForm({
    initial: { where: 'project' },
    async submit({ where }) {
      const chosenId = where === 'project' ? projectId : undefined
      const body = {
        name: t('Calendar subscription'),
        scopes: ['calendar:read'],
        projectIds: chosenId === undefined ? null : [chosenId],
        expiresAt: new Date(Date.now() + validDays * 86_400_000).toISOString(),
      }
      const { secret } = await tracker.call('POST /ext/tokens', { body })
      setAddress(calendarAddress(configuration.apiUrl, secret, chosenId))
    },
  })
  if (address !== undefined) return <CalendarAddressDialog address={address} onClose={onClose} />
  return (
    <Dialog title={t('Subscribe to the calendar')} onClose={onClose}>
      <p>
        {t(
          'Other calendar programs can show assignments from an address that is yours alone. It is valid for a year; end it earlier in your account.',
        )}
      </p>
      <Form form={form} submitLabel={t('Create address')} onCancel={onClose}>
        <SelectField
          form={form}
          name="where"
          label={t('Assignments')}
          required
          choices={[
            { id: 'project', name: t('In this project') },
            { id: 'all', name: t('In all my projects') },
          ]}
        />
      </Form>
    </Dialog>
  )
}

/**
 * Returns the URL of a calendar with the assignments of a project, or of all projects that the token permits.
 */
export function calendarAddress(apiUrl: string, token: string, projectId: string | undefined): string {
  const parameters = new URLSearchParams({ ...(projectId !== undefined && { projectId }), token })
  return new URL(`${apiUrl}/ext/calendar.ics?${parameters}`, location.href).href
}

interface CalendarAddressDialogProps {
  readonly address: string
  onClose(): void
}

/** Shows a new address once. */
export const CalendarAddressDialog = ({ address, onClose }: CalendarAddressDialogProps) => (
  <Dialog title={t('Your calendar address')} onClose={onClose}>
    <p>{t('Copy it now, and keep it like a password: it is only shown once.')}</p>
    <p>
      {t('In your calendar program, subscribe to a calendar from this address. It updates every hour or so.')}
    </p>
    <Secret label={t('Address')} text={address} onDone={onClose} />
  </Dialog>
)
