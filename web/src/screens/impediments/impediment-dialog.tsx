import { findAssignments } from '../../assignment/find-assignments.ts'
import { useListing } from '../../data/use-listing.ts'
import { Field, SelectField, TextAreaField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Combobox } from '../../ui/combobox.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { ImpedimentRow } from './load-impediments.ts'

export interface ImpedimentDialogProps {
  /** None: a new one. */
  readonly row: ImpedimentRow | undefined
  onClose(): void
}

export function ImpedimentDialog({ row, onClose }: ImpedimentDialogProps) {
  const { api, toasts } = useServices()
  const kinds = useListing('impediment', { sortColumn: 'name', pageSize: 100 })
  const form = useForm({
    draft: `impediment-of-${row?.link.id ?? 'any'}`,
    initial: {
      assignmentId: row?.assignment.id ?? '',
      // Kept beside the id, so that a draft shows what was chosen.
      assignmentName: row?.assignment.name ?? '',
      impedimentId: row?.link.impedimentId ?? '',
      description: row?.link.description ?? '',
    },
    async submit({ assignmentId, impedimentId, description }) {
      const body = { assignmentId, impedimentId, description: description.trim() || null }
      if (row === undefined) await api.create('assignmentImpediment', body)
      else await api.update('assignmentImpediment', { id: row.link.id, ...body })
      toasts.show({
        kind: 'done',
        text: row ? t('The impediment was saved.') : t('The impediment was added.'),
      })
    },
  })
  return (
    <Dialog title={row ? t('Change the impediment') : t('New impediment')} onClose={onClose}>
      <Form form={form} submitLabel={row ? t('Save') : t('Add')} onCancel={onClose} onDone={onClose}>
        <Field form={form} name="assignmentId" label={t('Assignment')} required autofocus>
          {({ id, ...attributes }) => (
            <Combobox
              id={id}
              label={t('Assignment')}
              attributes={attributes}
              placeholder={t('Name of the assignment')}
              chosen={form.values.value.assignmentName}
              find={(text, signal) => findAssignments(api, text, signal)}
              onChoose={(option) => {
                form.set('assignmentId', option.id)
                form.set('assignmentName', option.name)
              }}
            />
          )}
        </Field>
        <SelectField
          form={form}
          name="impedimentId"
          label={t('What is in the way')}
          required
          choices={kinds.rows}
        />
        <TextAreaField form={form} name="description" label={t('Note')} />
      </Form>
    </Dialog>
  )
}
