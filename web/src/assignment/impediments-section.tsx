import { useState } from 'preact/hooks'
import { catalogQuery, useListing } from '../data/use-listing.ts'
import { SelectField, TextField } from '../forms/fields.tsx'
import { Form } from '../forms/form.tsx'
import { useForm } from '../forms/use-form.ts'
import { useServices } from '../services/services.ts'
import { Icon } from '../ui/icon.tsx'
import { useRemoval } from '../ui/use-removal.ts'

/** The impediments of the assignment. */
export function ImpedimentsSection({ assignmentId }: { readonly assignmentId: string }) {
  const remove = useRemoval()
  const [isAdding, setAdding] = useState(false)
  const found = useListing('assignmentImpediment', { assignmentId, sortColumn: 'createdAt', pageSize: 100 })
  const kinds = useListing('impediment', catalogQuery)
  const nameOf = (id: string) => kinds.rows.find((kind) => kind.id === id)?.name ?? 'Impediment'
  return (
    <section class="panel-section" aria-labelledby="impediments-title">
      <h3 id="impediments-title">Impediments</h3>
      <ul class="rows">
        {found.rows.map(({ id, impedimentId, description }) => (
          <li key={id} class="row">
            <span class="blocked">
              <Icon name="warning" />
            </span>
            <span class="row-text">
              {nameOf(impedimentId)}
              {description && <span class="quiet-text line">{description}</span>}
            </span>
            <button
              type="button"
              class="button quiet icon-only"
              aria-label={`Remove the impediment ${nameOf(impedimentId)}`}
              onClick={() => void remove('assignmentImpediment', id, nameOf(impedimentId))}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      {isAdding ? (
        <NewImpediment assignmentId={assignmentId} kinds={kinds.rows} onClose={() => setAdding(false)} />
      ) : (
        <button type="button" class="button" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          <span>Add an impediment</span>
        </button>
      )}
    </section>
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
    <Form form={form} submitLabel="Add" onCancel={onClose} onDone={onClose}>
      <SelectField form={form} name="impedimentId" label="What is in the way" required choices={kinds} />
      <TextField form={form} name="description" label="Note" />
    </Form>
  )
}
