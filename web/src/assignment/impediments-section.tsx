import { useState } from 'preact/hooks'
import { SelectField, TextField } from '../forms/fields.tsx'
import { Form } from '../forms/form.tsx'
import { useForm } from '../forms/use-form.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { formatAge } from '../time/days.ts'
import { Icon } from '../ui/icon.tsx'
import { useRemoval } from '../ui/use-removal.ts'
import { PanelSection } from './panel-section.tsx'
import type { PanelData } from './use-panel-data.ts'

/** Lists the impediments of an assignment, and adds and resolves them. */
export function ImpedimentsSection({
  assignmentId,
  impediments,
  kinds,
}: Pick<PanelData, 'impediments' | 'kinds'> & { readonly assignmentId: string }) {
  const remove = useRemoval()
  const [isAdding, setAdding] = useState(false)
  const nameOf = (id: string) => kinds.rows.find((kind) => kind.id === id)?.name ?? t('Impediment')
  return (
    <PanelSection
      name="impediments"
      title={t('Impediments')}
      isEmpty={impediments.rows.length === 0 && !isAdding}
    >
      <ul class="rows">
        {impediments.rows.map(({ id, impedimentId, description, createdAt }) => (
          <li key={id} class="row">
            <span class="blocked">
              <Icon name="warning" />
            </span>
            <span class="row-text">
              <bdi>{nameOf(impedimentId)}</bdi>
              {description && (
                <span class="quiet-text line" dir="auto">
                  {description}
                </span>
              )}
              <span class="quiet-text line">{t('Blocked {age}', { age: formatAge(createdAt) })}</span>
            </span>
            <button
              type="button"
              class="button"
              aria-label={t('Resolve {name}', { name: nameOf(impedimentId) })}
              onClick={() =>
                void remove('assignmentImpediment', id, nameOf(impedimentId), '{name} is resolved.')
              }
            >
              <Icon name="check" />
              <span>{t('Resolve')}</span>
            </button>
          </li>
        ))}
      </ul>
      {isAdding ? (
        <NewImpediment assignmentId={assignmentId} kinds={kinds.rows} onClose={() => setAdding(false)} />
      ) : (
        <button type="button" class="button quiet" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          <span>{t('Mark as blocked')}</span>
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
