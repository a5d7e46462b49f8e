import { useState } from 'preact/hooks'
import { SelectField, TextField } from '../forms/fields.tsx'
import { Form } from '../forms/form.tsx'
import { useForm } from '../forms/use-form.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Icon } from '../ui/icon.tsx'
import { PanelSection } from './panel-section.tsx'
import type { PanelData } from './use-panel-data.ts'

/** Marks an assignment as blocked. Its open impediments are shown above the description. */
export function ImpedimentsSection({
  assignmentId,
  kinds,
}: Pick<PanelData, 'kinds'> & { readonly assignmentId: string }) {
  const [isAdding, setAdding] = useState(false)
  return (
    <PanelSection name="impediments" title={t('Impediments')} isEmpty={!isAdding}>
      {isAdding ? (
        <NewImpediment assignmentId={assignmentId} kinds={kinds.rows} onClose={() => setAdding(false)} />
      ) : (
        <button type="button" class="button quiet" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          <span>{t('Mark as blocked…')}</span>
        </button>
      )}
    </PanelSection>
  )
}

interface NewImpedimentProps {
  readonly assignmentId: string
  readonly kinds: readonly { readonly id: string; readonly name: string }[]
  onClose(): void
}

function NewImpediment({ assignmentId, kinds, onClose }: NewImpedimentProps) {
  const { api } = useServices()
  const form = useForm({
    draft: `impediment-${assignmentId}`,
    initial: { impedimentId: '', description: '' },
    async submit(values) {
      await api.create('assignmentImpediment', { ...values, assignmentId })
    },
  })
  return (
    <Form form={form} submitLabel={t('Add')} onCancel={onClose} onDone={onClose}>
      <SelectField form={form} name="impedimentId" label={t('Impediment')} required choices={kinds} />
      <TextField form={form} name="description" label={t('Note')} />
    </Form>
  )
}
