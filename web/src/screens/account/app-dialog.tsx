import type { AppOffer, Factors, MadeCodes } from '../../api/factors.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../texts/text.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

export interface AppDialogProps {
  readonly offer: AppOffer
  readonly factors: Factors
  onDone(made: MadeCodes): void
  onClose(): void
}

/** Shows the secret for an app, and asks for a code that shows that the app has it. */
export function AppDialog({
  offer: { offer, secret, address, picture },
  factors,
  onDone,
  onClose,
}: AppDialogProps) {
  const form = useForm({
    initial: { code: '' },
    submit: async ({ code }) => onDone(await factors.confirmApp(offer, code)),
  })
  return (
    <Dialog title={t('An app for codes')} onClose={onClose}>
      <p>{t('Scan this with an app that makes codes, such as the one of your password manager.')}</p>
      <svg
        class="qr"
        viewBox={`0 0 ${picture.side} ${picture.side}`}
        role="img"
        aria-label={t('The secret as a QR code')}
      >
        <rect width="100%" height="100%" fill="#fff" />
        <path d={picture.path} fill="#000" />
      </svg>
      <p class="quiet-text">
        {t('Or type this secret into the app:')} <code>{secret.match(/.{4}/g)?.join(' ')}</code>
      </p>
      <div class="form-buttons">
        <CopyButton text={secret} />
        <a class="button" href={address}>
          {t('Open the app on this device')}
        </a>
      </div>
      <Form form={form} submitLabel={t('Set up')} onCancel={onClose}>
        <TextField
          form={form}
          name="code"
          label={t('Code that the app shows')}
          required
          autofocus
          autocomplete="one-time-code"
        />
      </Form>
    </Dialog>
  )
}
