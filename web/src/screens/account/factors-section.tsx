import { useState } from 'preact/hooks'
import { sentenceOf } from '../../api/api-problem.ts'
import {
  type AppOffer,
  canMakePasskey,
  createFactors,
  type Factors,
  type MadeCodes,
  type OwnFactors,
  type Passkey,
  StaleSignIn,
} from '../../api/factors.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { startSignIn } from '../../session/sign-in.ts'
import { t, tn } from '../../texts/text.ts'
import { showMoment } from '../../time/moments.ts'
import { browserNameOf } from '../../ui/browser-name.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { LoadProblem } from '../../ui/notes.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { AppDialog } from './app-dialog.tsx'
import { PasskeyNameDialog } from './passkey-name-dialog.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'

/** What stands in front of the page. */
type Front =
  | { readonly kind: 'app'; readonly offer: AppOffer }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }
  | { readonly kind: 'name'; readonly passkey: Passkey }
  | { readonly kind: 'stale' }
  | { readonly kind: 'ask'; readonly question: Question }

interface Question {
  readonly title: string
  readonly text: string
  readonly confirmLabel: string
  work(): Promise<unknown>
}

/** What the person signs in with beside the password. */
export function FactorsSection() {
  const { configuration, session, toasts } = useServices()
  const factors = createFactors(configuration, session)
  const { value: own, problem, reload } = useLoaded('factors', [], () => factors.own())
  const [front, setFront] = useState<Front>()
  const showCodes = ({ recoveryCodes }: MadeCodes) => {
    setFront(recoveryCodes ? { kind: 'codes', codes: recoveryCodes } : undefined)
    reload()
  }
  const run = async (work: () => Promise<unknown>) => {
    try {
      await work()
      reload()
    } catch (error) {
      if (error instanceof StaleSignIn) return setFront({ kind: 'stale' })
      // The browser's own dialog was closed.
      if (error instanceof DOMException) return
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
  }
  const close = () => setFront(undefined)
  return (
    <section aria-labelledby="factors-title">
      <h2 id="factors-title">{t('Second factor')}</h2>
      <p class="form-note">
        {own?.isRequired
          ? t('Your account must have one: whoever knows your password still cannot sign in.')
          : t('With a second factor, whoever knows your password still cannot sign in.')}{' '}
        {t('What you change here signs you out elsewhere.')}
      </p>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {own === undefined && !problem && <Skeleton as="rows" rows={1} cells="lines button" />}
      {own && <FactorRows own={own} factors={factors} setFront={setFront} />}
      {own && <FactorButtons own={own} factors={factors} run={run} setFront={setFront} onCodes={showCodes} />}
      {front?.kind === 'app' && (
        <AppDialog offer={front.offer} factors={factors} onDone={showCodes} onClose={close} />
      )}
      {front?.kind === 'codes' && <RecoveryCodesDialog codes={front.codes} onClose={close} />}
      {front?.kind === 'name' && (
        <PasskeyNameDialog passkey={front.passkey} factors={factors} onDone={reload} onClose={close} />
      )}
      {front?.kind === 'ask' && (
        <ConfirmDialog {...front.question} onConfirm={() => void run(front.question.work)} onClose={close} />
      )}
      {front?.kind === 'stale' && (
        <ConfirmDialog
          title={t('Sign in again first')}
          text={t('To change how you sign in, show that it is you. Then you come back here.')}
          confirmLabel={t('Sign in again')}
          onConfirm={() => void startSignIn(configuration, '/account', { asks: true })}
          onClose={close}
        />
      )}
    </section>
  )
}

interface RowsProps {
  readonly own: OwnFactors
  readonly factors: Factors
  setFront(front: Front): void
}

function FactorRows({ own: { appSince, passkeys, recoveryCodesLeft }, factors, setFront }: RowsProps) {
  const ask = (name: string, work: () => Promise<unknown>) =>
    setFront({
      kind: 'ask',
      question: {
        title: t('Remove {name}?', { name }),
        text: t('It signs nobody in any more.'),
        confirmLabel: t('Remove'),
        work,
      },
    })
  const appName = t('App for codes')
  return (
    <ul class="rows">
      {appSince !== null && (
        <li class="row">
          <span class="row-text">
            {appName}
            <span class="quiet-text line">{t('Since {moment}', { moment: showMoment(appSince) })}</span>
          </span>
          <button type="button" class="button" onClick={() => ask(appName, factors.removeApp)}>
            {t('Remove')}
            <span class="visually-hidden"> {appName}</span>
          </button>
        </li>
      )}
      {passkeys.map((passkey) => (
        <li key={passkey.id} class="row">
          <span class="row-text">
            <bdi>{passkey.name}</bdi>
            <span class="quiet-text line">
              {t('Passkey since {moment}', { moment: showMoment(passkey.createdAt) })}
              {passkey.lastUsedAt !== null &&
                ` · ${t('last used {moment}', { moment: showMoment(passkey.lastUsedAt) })}`}
            </span>
          </span>
          <button type="button" class="button" onClick={() => setFront({ kind: 'name', passkey })}>
            {t('Rename')}
            <span class="visually-hidden"> {passkey.name}</span>
          </button>
          <button
            type="button"
            class="button"
            onClick={() => ask(passkey.name, () => factors.removePasskey(passkey.id))}
          >
            {t('Remove')}
            <span class="visually-hidden"> {passkey.name}</span>
          </button>
        </li>
      ))}
      {(appSince !== null || passkeys.length > 0) && (
        <li class="row">
          <span class="row-text">
            {t('Recovery codes')}
            <span class="quiet-text line">
              {tn(recoveryCodesLeft, '{count} is left', '{count} are left')}
            </span>
          </span>
        </li>
      )}
    </ul>
  )
}

interface ButtonsProps extends RowsProps {
  run(work: () => Promise<unknown>): Promise<void>
  onCodes(made: MadeCodes): void
}

function FactorButtons({ own, factors, run, setFront, onCodes }: ButtonsProps) {
  const hasAny = own.appSince !== null || own.passkeys.length > 0
  const showOffer = async () => setFront({ kind: 'app', offer: await factors.offerApp() })
  const addPasskey = async () => onCodes(await factors.addPasskey(browserNameOf(navigator.userAgent)))
  return (
    <div class="form-buttons">
      {canMakePasskey(own.passkeyDomain) && (
        <button type="button" class="button" onClick={() => void run(addPasskey)}>
          {t('Add a passkey')}
        </button>
      )}
      <button type="button" class="button" onClick={() => void run(showOffer)}>
        {own.appSince === null ? t('Set up an app for codes') : t('Set up another app')}
      </button>
      {hasAny && (
        <button
          type="button"
          class="button"
          onClick={() =>
            setFront({
              kind: 'ask',
              question: {
                title: t('Make new recovery codes?'),
                text: t('Those of before work no more.'),
                confirmLabel: t('Make new ones'),
                work: async () => onCodes(await factors.makeRecoveryCodes()),
              },
            })
          }
        >
          {t('New recovery codes')}
        </button>
      )}
    </div>
  )
}
