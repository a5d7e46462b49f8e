import { useState } from 'preact/hooks'
import { type Label, labelQuery } from '../data/project-links.ts'
import { useAllRows } from '../data/use-listing.ts'
import { ChoiceField, NameField, TextField } from '../forms/fields.tsx'
import { Form, useForm } from '../forms/form.tsx'
import { useRemoval, useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { LoadProblem, Skeleton } from '../ui/page-states.tsx'
import { LabelChip, type LabelColor, labelColorChoices } from './labels.tsx'

interface LabelsDialogProps {
  readonly projectId: string
  onClose(): void
}

/** Lists the labels of a project. All members may change them. */
export function LabelsDialog({ projectId, onClose }: LabelsDialogProps) {
  const labels = useAllRows('label', labelQuery(projectId))
  const remove = useRemoval()
  const [editedLabel, setEditedLabel] = useState<Label | 'new'>()
  const [labelToRemove, setLabelToRemove] = useState<Label>()
  return (
    <Dialog title={t('Labels of the project')} onClose={onClose}>
      {labels.problem && <LoadProblem problem={labels.problem} onRetry={labels.reload} />}
      {labels.isLoading && <Skeleton as="rows" rows={3} cells="text icon" />}
      <ul class="rows">
        {labels.rows.map((label) => (
          <LabelRow
            key={label.id}
            label={label}
            onEdit={() => setEditedLabel(label)}
            onRemove={() => setLabelToRemove(label)}
          />
        ))}
      </ul>
      {editedLabel === undefined ? (
        <button type="button" class="button" onClick={() => setEditedLabel('new')}>
          <Icon name="plus" />
          <span>{t('New label')}</span>
        </button>
      ) : (
        <LabelForm
          key={editedLabel === 'new' ? 'new' : editedLabel.id}
          projectId={projectId}
          label={editedLabel === 'new' ? undefined : editedLabel}
          onClose={() => setEditedLabel(undefined)}
        />
      )}
      {labelToRemove && (
        <ConfirmDialog
          title={t('Remove {name}?', { name: labelToRemove.name })}
          text={t('The label disappears from every assignment of the project.')}
          confirmLabel={t('Remove the label')}
          onConfirm={() => void remove('label', labelToRemove.id, labelToRemove.name)}
          onClose={() => setLabelToRemove(undefined)}
        />
      )}
    </Dialog>
  )
}

interface LabelRowProps {
  readonly label: Label
  onEdit(): void
  onRemove(): void
}

const LabelRow = ({ label, onEdit, onRemove }: LabelRowProps) => (
  <li class="row">
    <span class="row-text">
      <LabelChip label={label} />
      {label.description && (
        <span class="quiet-text line" dir="auto">
          {label.description}
        </span>
      )}
    </span>
    <button
      type="button"
      class="button quiet icon-only"
      aria-label={t('Edit {name}', { name: label.name })}
      onClick={onEdit}
    >
      <Icon name="edit" />
    </button>
    <button
      type="button"
      class="button quiet icon-only"
      aria-label={t('Remove {name}', { name: label.name })}
      onClick={onRemove}
    >
      <Icon name="trash" />
    </button>
  </li>
)

/** Creates a label, or changes one. */
function LabelForm({ projectId, label, onClose }: LabelsDialogProps & { readonly label: Label | undefined }) {
  const { api } = useServices()
  const form = useForm({
    draft: `label-${label?.id ?? projectId}`,
    initial: {
      name: label?.name ?? '',
      color: label?.color ?? 'blue',
      description: label?.description ?? '',
    },
    async submit(values) {
      const body = { ...values, color: values.color as LabelColor, projectId }
      if (label === undefined) await api.create('label', body)
      else await api.update('label', { id: label.id, ...body })
    },
  })
  return (
    <Form form={form} submitLabel={t('Save')} onCancel={onClose} onDone={onClose}>
      <NameField form={form} />
      <ChoiceField form={form} name="color" label={t('Color')} required choices={labelColorChoices} />
      <TextField form={form} name="description" label={t('Description')} />
    </Form>
  )
}
