import { t } from '../texts/text.ts'
import { Secret } from './copy.tsx'
import { Dialog } from './dialog.tsx'

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
