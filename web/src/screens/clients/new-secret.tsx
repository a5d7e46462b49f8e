import type { NewClient } from '../../api/types.ts'
import { t } from '../../texts/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Secret } from '../../ui/secret.tsx'

/** What the app has to know; its secret is shown this once. */
export const NewSecret = ({ made, onClose }: { readonly made: NewClient; onClose(): void }) => (
  <Dialog title={made.client.name} onClose={onClose}>
    <p>
      {t('Its client_id is')} <code>{made.client.id}</code>
    </p>
    {made.secret === null ? (
      <div class="form-buttons">
        <button type="button" class="button primary" data-autofocus onClick={onClose}>
          {t('Done')}
        </button>
      </div>
    ) : (
      <>
        <p>{t('Copy its secret now: it is shown this once.')}</p>
        <Secret label={t('Secret')} text={made.secret} onDone={onClose} />
      </>
    )}
  </Dialog>
)
