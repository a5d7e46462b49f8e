import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Keys } from '../ui/keys.tsx'
import { shortcutGroups } from './use-shortcuts.ts'

export function ShortcutSheet({ onClose }: { onClose(): void }) {
  const { extensions } = useServices().configuration
  return (
    <Dialog title={t('Keyboard shortcuts')} onClose={onClose}>
      <div class="shortcuts">
        {shortcutGroups.map(({ title, shortcuts }) => (
          <section key={title} class="shortcut-sheet">
            <h3>{t(title)}</h3>
            <dl>
              {shortcuts
                .filter(({ isExtension }) => extensions || !isExtension)
                .map(({ keys, description }) => (
                  <div key={description}>
                    <dt>{t(description)}</dt>
                    <dd>
                      <Keys keys={keys} />
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
