import { useState } from 'preact/hooks'
import { sentenceOf } from '../api/problems.ts'
import { TextField, useHoursOfDay } from '../forms/fields.tsx'
import { Form } from '../forms/form.tsx'
import { useForm } from '../forms/use-form.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { dayOfTimestamp } from '../time/days.ts'
import { formatHours, formatHoursInput } from '../time/hours.ts'
import { DayField } from '../ui/day-input.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { elapsedSeconds, isForgotten, type RunningTimer, timerStore, toRecordedHours } from './timer.ts'

/** Asks whether to record the time, discard it, or keep the timer running. */
export function TimerDialog({ running, onClose }: { readonly running: RunningTimer; onClose(): void }) {
  const services = useServices()
  const { api, toasts } = services
  const parseHours = useHoursOfDay()
  const timers = timerStore(services)
  const { name } = running
  const [hours] = useState(() => toRecordedHours(elapsedSeconds(running)))
  const form = useForm({
    initial: {
      keepDate: dayOfTimestamp(running.since),
      amountHours: formatHoursInput(hours),
      description: '',
    },
    async submit({ keepDate, amountHours, description }) {
      const recorded = parseHours(amountHours, 'amountHours')
      const { id } = await timers.book(running, {
        keepDate,
        amountHours: recorded,
        description: description.trim() || null,
      })
      toasts.show({
        kind: 'done',
        text: t('{hours} recorded for {name}.', { hours: formatHours(recorded), name }),
        undo: () => api.remove('appointment', [id]),
      })
    },
  })
  const discard = () =>
    timers.discard().then(onClose, (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }))
  return (
    <Dialog title={t('Record the hours of {name}', { name })} onClose={onClose}>
      {isForgotten(running) && (
        <p class="form-note">
          {t('The timer ran for {hours}. Did you forget it?', { hours: formatHours(hours) })}
        </p>
      )}
      <Form
        form={form}
        submitLabel={t('Record')}
        onCancel={onClose}
        cancelLabel={t('Keep it running')}
        onDone={onClose}
      >
        <TextField form={form} name="description" label={t('Note')} autofocus />
        <div class="field-pair">
          <DayField form={form} name="keepDate" label={t('Day')} required />
          <TextField form={form} name="amountHours" label={t('Hours')} inputMode="decimal" required />
        </div>
      </Form>
      <button type="button" class="button quiet danger" onClick={discard}>
        {t('Discard the hours')}
      </button>
    </Dialog>
  )
}
