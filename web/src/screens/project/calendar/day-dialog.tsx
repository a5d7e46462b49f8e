import { dateOf, formatOf } from '../../../time/days.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { DayRows, type DayRowsProps } from './day-rows.tsx'

/** All assignments of one day. */
export const DayDialog = ({
  day,
  onClose,
  ...rows
}: DayRowsProps & { readonly day: string; onClose(): void }) => (
  <Dialog title={formatOf('whole').format(dateOf(day))} onClose={onClose}>
    <DayRows {...rows} onGo={onClose} />
  </Dialog>
)
