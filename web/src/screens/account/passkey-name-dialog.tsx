import type { Factors, Passkey } from '../../api/factors.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../texts/text.ts'
import { Dialog } from '../../ui/dialog.tsx'

export interface PasskeyNameDialogProps {
  readonly passkey: Passkey
  readonly factors: Factors
  onDone(): void
  onClose(): void
}

export function PasskeyNameDialog({
  passkey: { id, name },
  factors,
  onDone,
  onClose,
}: PasskeyNameDialogProps) {
  const form = useForm({
    initial: { name },
    async submit(values) {
      await factors.renamePasskey(id, values.name)
      onDone()
      onClose()
    },
  })
  return (
    <Dialog title={t('Rename {name}', { name })} onClose={onClose}>
      <Form form={form} submitLabel={t('Save')} onCancel={onClose}>
        <TextField form={form} name="name" label={t('Name')} required autofocus />
      </Form>
    </Dialog>
  )
}
