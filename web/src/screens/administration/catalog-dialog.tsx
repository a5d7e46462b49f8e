import { TextAreaField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { type FormState, useForm } from '../../forms/use-form.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { NewPasswordField } from '../../ui/password-field.tsx'
import {
  bodyOf,
  type Catalog,
  type CatalogField,
  type CatalogRow,
  type CatalogValues,
  valuesOf,
} from './catalogs.ts'

export interface CatalogDialogProps {
  readonly catalog: Catalog
  /** None: a new one. */
  readonly row: CatalogRow | undefined
  /** Where a new stage would stand. */
  readonly nextOrder: number
  onClose(): void
}

export function CatalogDialog({ catalog, row, nextOrder, onClose }: CatalogDialogProps) {
  const { api, session, toasts } = useServices()
  const { resource, fields } = catalog
  const hasPassword = fields.some(({ name }) => name === 'password')
  const form = useForm<CatalogValues>({
    // Drafts are for everything but passwords.
    ...(!hasPassword && { draft: `${resource}-${row?.id ?? 'new'}` }),
    initial: valuesOf(catalog, row, nextOrder),
    async submit(values) {
      const body = bodyOf(values, row) as never
      if (row === undefined) await api.create(resource, body)
      else await api.update(resource, body)
      toasts.show({
        kind: 'done',
        text: row
          ? t('{name} was saved.', { name: values.name ?? '' })
          : t('{name} was created.', { name: values.name ?? '' }),
      })
    },
  })
  const isSelf = row !== undefined && row.id === session.person.value?.id
  return (
    <Dialog title={row ? t('Change {name}', { name: row.name }) : t(catalog.newLabel)} onClose={onClose}>
      <Form form={form} submitLabel={row ? t('Save') : t('Create')} onCancel={onClose} onDone={onClose}>
        <TextField form={form} name="name" label={t('Name')} required autofocus />
        {fields.map((field) => (
          <CatalogFieldView key={field.name} form={form} field={field} isNew={row === undefined} />
        ))}
        {row && hasPassword && (
          <p class="form-note">
            {isSelf
              ? t('A new login or password ends every session of yours, this one too.')
              : t('A new login or password ends every session of {name}.', { name: row.name })}
          </p>
        )}
      </Form>
    </Dialog>
  )
}

interface CatalogFieldViewProps {
  readonly form: FormState<CatalogValues>
  readonly field: CatalogField
  readonly isNew: boolean
}

function CatalogFieldView({ form, field, isNew }: CatalogFieldViewProps) {
  const { name, label, required, hint } = field
  const common = { form, name, label: t(label), required, ...(hint && { hint: t(hint) }) }
  if (name === 'description') return <TextAreaField {...common} />
  if (name === 'login') return <TextField {...common} />
  if (isNew) return <NewPasswordField {...common} />
  return (
    <NewPasswordField
      {...common}
      required={false}
      label={t('New password')}
      hint={t('Left empty, it stays as it is.')}
    />
  )
}
