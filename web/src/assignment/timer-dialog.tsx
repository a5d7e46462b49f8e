import { useState } from 'preact/hooks'
import { TextField } from '../forms/fields.tsx'
import { Form } from '../forms/form.tsx'
import { readHours } from '../forms/hours.ts'
import { useForm } from '../forms/use-form.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { dayOfMoment } from '../time/days.ts'
import { showHours, typeHours } from '../time/hours.ts'
import { DayField } from '../ui/day-field.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { hoursOf, type Running, secondsOf, stopTimer } from './timer.ts'

/** Longer than this it was probably forgotten. */
const hoursExpected = 12

/** What becomes of the time that ran: recorded, thrown away, or running on. */
export function TimerDialog({ running, onClose }: { readonly running: Running; onClose(): void }) {
  const { api, toasts } = useServices()
  const { assignmentId, userId, name } = running
  const [hours] = useState(() => hoursOf(secondsOf(running)))
  const form = useForm({
    initial: { keepDate: dayOfMoment(running.since), amountHours: typeHours(hours), description: '' },
    async submit({ keepDate, amountHours, description }) {
      const recorded = readHours(amountHours, 'amountHours')
      await api.create('appointment', {
        assignmentId,
        userId,
        keepDate,
        amountHours: recorded,
        description: description.trim() || null,
      })
      stopTimer()
      toasts.show({
        kind: 'done',
        text: t('{hours} recorded for {name}.', { hours: showHours(recorded), name }),
      })
    },
  })
  const discard = () => {
    stopTimer()
    onClose()
  }
  return (
    <Dialog title={t('Record the time for {name}', { name })} onClose={onClose}>
      {hours > hoursExpected && (
        <p class="form-note">
          {t('The timer ran for {hours}. Was it forgotten?', { hours: showHours(hours) })}
        </p>
      )}
      <Form
        form={form}
        submitLabel={t('Record')}
        onCancel={onClose}
        cancelLabel={t('Keep it running')}
        onDone={onClose}
      >
        <TextField form={form} name="description" label={t('What for')} autofocus />
        <div class="field-pair">
          <DayField form={form} name="keepDate" label={t('Day')} required />
          <TextField form={form} name="amountHours" label={t('Hours')} inputMode="decimal" required />
        </div>
      </Form>
      <button type="button" class="button quiet danger" onClick={discard}>
        {t('Throw the time away')}
      </button>
    </Dialog>
  )
}
