import { t } from '../texts/text.ts'
import { Dialog } from './dialog.tsx'

interface ConfirmDialogProps {
  readonly title: string
  readonly text: string
  readonly confirmLabel: string
  onConfirm(): void
  onClose(): void
}

/** Asks before an action that has far-reaching effects or cannot be undone. */
export const ConfirmDialog = ({ title, text, confirmLabel, onConfirm, onClose }: ConfirmDialogProps) => (
  <Dialog title={title} onClose={onClose}>
    <p>{text}</p>
    <div class="form-buttons">
      <button type="button" class="button" data-autofocus onClick={onClose}>
        {t('Cancel')}
      </button>
      <button
        type="button"
        class="button danger"
        onClick={() => {
          onClose()
          onConfirm()
        }}
      >
        {confirmLabel}
      </button>
    </div>
  </Dialog>
)
