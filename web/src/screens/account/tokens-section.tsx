import { useState } from 'preact/hooks'
import { createAccess } from '../../api/access.ts'
import { sentenceOf } from '../../api/api-problem.ts'
import type { Token } from '../../api/types.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { t, tn } from '../../texts/text.ts'
import { showLongDay } from '../../time/days.ts'
import { showMoment } from '../../time/moments.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LoadProblem } from '../../ui/notes.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { scopesInWords } from './scopes.ts'
import { TokenDialog } from './token-dialog.tsx'

/** Tokens that the person has made for programs. */
export function TokensSection() {
  const { send, toasts } = useServices()
  const access = createAccess(send)
  const { value: tokens, problem, reload } = useLoaded('tokens', [], () => access.tokens())
  const [front, setFront] = useState<'new' | Token>()
  const end = async ({ id, name }: Token) => {
    try {
      await access.endToken(id)
      toasts.show({ kind: 'done', text: t('{name} was ended.', { name }) })
    } catch (error) {
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
    reload()
  }
  return (
    <section aria-labelledby="tokens-title">
      <h2 id="tokens-title">{t('Tokens for programs')}</h2>
      <p class="form-note">
        {t('A script sends one instead of signing in. It may do what you choose, and never more than you.')}
      </p>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {tokens === undefined && !problem && <Skeleton as="rows" rows={1} cells="lines button" />}
      <ul class="rows">
        {tokens?.map((token) => (
          <TokenRow key={token.id} token={token} onEnd={() => setFront(token)} />
        ))}
      </ul>
      <div class="form-buttons">
        <button type="button" class="button" onClick={() => setFront('new')}>
          <Icon name="plus" />
          <span>{t('New token')}</span>
        </button>
      </div>
      {front === 'new' && (
        <TokenDialog
          onClose={() => {
            setFront(undefined)
            reload()
          }}
        />
      )}
      {front !== undefined && front !== 'new' && (
        <ConfirmDialog
          title={t('End {name}?', { name: front.name })}
          text={t('Programs that use it are refused within 30 seconds. It cannot be brought back.')}
          confirmLabel={t('End the token')}
          onConfirm={() => void end(front)}
          onClose={() => setFront(undefined)}
        />
      )}
    </section>
  )
}

const TokenRow = ({ token, onEnd }: { readonly token: Token; onEnd(): void }) => {
  const { name, scopes, projectIds, expiresAt, lastUsedAt, lastUsedAddress } = token
  const projects =
    projectIds === null
      ? t('in all your projects')
      : tn(projectIds.length, 'in {count} project', 'in {count} projects')
  const used =
    lastUsedAt === null
      ? t('never used')
      : t('last used {moment} from {address}', {
          moment: showMoment(lastUsedAt),
          address: lastUsedAddress ?? t('somewhere'),
        })
  return (
    <li class="row">
      <span class="row-text">
        <bdi>{name}</bdi>
        <span class="quiet-text line">
          {scopesInWords(scopes)}, {projects}
        </span>
        <span class="quiet-text line">
          {t('Until {day}', { day: showLongDay(expiresAt) })} · {used}
        </span>
      </span>
      <button
        type="button"
        class="button quiet icon-only"
        aria-label={t('End {name}', { name })}
        onClick={onEnd}
      >
        <Icon name="close" />
      </button>
    </li>
  )
}
