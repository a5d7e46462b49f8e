import { t } from '../../texts/text.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

/** Shows the recovery codes, for when the app or the passkey is lost. */
export const RecoveryCodesDialog = ({
  codes,
  onClose,
}: {
  readonly codes: readonly string[]
  onClose(): void
}) => (
  <Dialog title={t('Your recovery codes')} onClose={onClose}>
    <p>
      {t(
        'Each signs you in once, when you have lost everything else. They are shown this once: print them, or put them where you keep your passwords.',
      )}
    </p>
    <ul class="codes">
      {codes.map((code) => (
        <li key={code}>
          <code>{code}</code>
        </li>
      ))}
    </ul>
    <div class="form-buttons">
      <CopyButton text={codes.join('\n')} />
      <button type="button" class="button primary" data-autofocus onClick={onClose}>
        {t('I have kept them')}
      </button>
    </div>
  </Dialog>
)
