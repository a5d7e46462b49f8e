import { limits } from '#tracker-client'
import { reject } from '../../forms/field.tsx'
import { ChoiceField, NameField } from '../../forms/fields.tsx'
import { Form, useForm } from '../../forms/form.tsx'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { viewParameter } from './filters.ts'

interface ViewDialogProps {
  readonly projectId: string
  /** The view to rename. If undefined, a new one is saved. */
  readonly view:
    | { readonly resource: 'savedView' | 'projectView'; readonly row: { readonly name: string } }
    | undefined
  readonly content: { readonly address: string; readonly filter: string | null }
  onRename(name: string): Promise<void>
  onClose(): void
}

/** Saves the content as a new view, or renames a view. */
export function ViewDialog({ projectId, view, content, onRename, onClose }: ViewDialogProps) {
  const { api, router } = useServices()
  const form = useForm({
    initial: { name: view?.row.name ?? '', resource: view?.resource ?? 'savedView' },
    async submit({ name, resource }) {
      if (view) return onRename(name)
      if (content.address.length > limits.address)
        reject({ name: [t('There are too many filters to save.')] })
      const body = { name, list: 'assignments', ...content }
      const { id } =
        resource === 'projectView'
          ? await api.create('projectView', { ...body, projectId })
          : await api.create('savedView', body)
      router.setQuery({ [viewParameter]: id })
    },
  })
  return (
    <Dialog title={view ? t('Rename view') : t('Save view')} onClose={onClose}>
      <Form form={form} submitLabel={t('Save')} onCancel={onClose} onDone={onClose}>
        <NameField form={form} />
        {view === undefined && (
          <ChoiceField form={form} name="resource" label={t('Visible to')} required choices={audiences} />
        )}
      </Form>
    </Dialog>
  )
}

const audiences = [
  { id: 'savedView', name: 'Only me' },
  { id: 'projectView', name: 'Everyone in the project' },
] as const
