import type { Language } from '../../../model/language.ts'
import { type Html, type HtmlValue, markupOf } from './html.ts'

/** Every text of the pages, which is its own key: what is not listed here does not compile, nor a language without it. */
export const en = [
  // Sign-in
  'Sign in',
  'to go on to {client}',
  'Login',
  'Password',
  'Sign in with {provider}',
  'Sign in with a passkey',
  'Sign in with a password',
  'Forgot your password?',
  'The login or the password is wrong.',
  'Too many attempts with this login. Try again in a minute.',
  'Too many attempts with this login. Try again in {minutes} minutes.',
  'This page is out of date',
  'Please go back to the app that you came from, and start again there.',
  'Back to the app',
  'Continue',
  'Back',
  // A forgotten password
  'If your login is a mail address, we send a link there by which you choose a new one.',
  'Send the link',
  'Back to the sign-in',
  'Look into your mails',
  'If there is an account with this login, and it is a mail address, a link is on its way. It works for an hour. Nothing came? Look among what your mail program sorts out, or ask an administrator.',
  // Second factors and passkeys
  'Second step',
  'One more step, to show that it is you.',
  'Code from your app, or a recovery code',
  'Recovery code',
  'All of that lost? An administrator can take the second step away.',
  'This is wrong, or it was used before. Codes change every half minute.',
  'Use a passkey',
  'Use a passkey instead',
  'The passkey was not used. Try again.',
  'Passkeys need scripts, which this browser does not run.',
  'This passkey is not known here, or did not verify that it is you.',
  'Set up a second step',
  'Signing in here takes more than a password. Scan this with an app that makes codes, such as the one of your password manager.',
  'The secret as a QR code',
  'Or type this secret into the app: {secret}',
  'Code that the app shows',
  'This code is wrong. The picture is a new one: scan it again.',
  'The passkey could not be kept. Try again.',
  'Keep your recovery codes',
  'Each signs you in once, for the day on which you have lost your app. They are shown this once: print them, or put them where you keep your passwords.',
  'I have kept them',
  // Consent
  'Allow {client}?',
  'You are signed in as {name} ({login}). {client} asks to:',
  'know that it is you',
  'see your name and your login',
  'see your mail address',
  'see and change in your name whatever you can see and change here',
  'do the same through the command interface',
  'stay connected without you, until eight hours after your sign-in',
  'Allow',
  'Do not allow',
  'Either way you go back to {place}. You are not asked again for what you have allowed.',
  'Either way you go back to {place}, an address of this device. You are asked each time: another program on it could use the same address.',
  // Sign-out
  'Sign out?',
  'This ends your sign-in in every app that you use with it in this browser. If you did not ask for it, close this page.',
  'Sign out',
  'You are signed out',
  'You can close this page.',
  'The app wanted to go on to an address that is not registered for it, so you stay on this page.',
  'You are signed out here',
  'Sign out of {provider}, too',
  // Outside providers
  '{provider} did not work',
  '{provider} cannot be reached at the moment. Try again in a while.',
  '{provider} has not signed you in.',
  '{provider} has not confirmed your sign-in. Try again.',
  'What {provider} answered does not hold, so you were not signed in. Try again.',
  'You have to sign in anew, and {provider} has not said that you did. Sign out there first, or sign in in another way.',
  'Too many sign-ins from your address are under way. Try again in a quarter of an hour.',
  'This sign-in was not begun in this browser, or has been used.',
  'No account here belongs to yours at {provider}. If you have one, sign in to it in another way and connect it on the page My account; otherwise ask an administrator.',
  'Your account here is closed. Ask an administrator.',
  'There is an account here with your address. Sign in to it in another way, and connect it with {provider} on the page My account.',
  'Your account is connected with as many others as it can be. Disconnect one first.',
  'Somebody else has signed in in this browser meanwhile. Start again.',
  'This account of {provider} is connected with somebody else’s account here.',
  'Sign in once more',
  'To connect {provider}, sign in again first: that was too long ago, or not in this browser.',
  'Back to your account',
  'Connect {provider}?',
  'Whoever signs in at {provider} as {label} will be signed in here as {person}. Go on only if both are you.',
  'Connect',
  'Do not connect',
] as const

type Text = (typeof en)[number]

export const ptBr: Readonly<Record<Text, string>> = {
  'Sign in': 'Entrar',
  'to go on to {client}': 'para seguir para {client}',
  Login: 'Login',
  Password: 'Senha',
  'Sign in with {provider}': 'Entrar com {provider}',
  'Sign in with a passkey': 'Entrar com uma chave de acesso',
  'Sign in with a password': 'Entrar com senha',
  'Forgot your password?': 'Esqueceu sua senha?',
  'The login or the password is wrong.': 'O login ou a senha está incorreto.',
  'Too many attempts with this login. Try again in a minute.':
    'Tentativas demais com este login. Tente de novo daqui a um minuto.',
  'Too many attempts with this login. Try again in {minutes} minutes.':
    'Tentativas demais com este login. Tente de novo daqui a {minutes} minutos.',
  'This page is out of date': 'Esta página não vale mais',
  'Please go back to the app that you came from, and start again there.':
    'Volte ao aplicativo de onde você veio e comece de novo por lá.',
  'Back to the app': 'De volta ao aplicativo',
  Continue: 'Continuar',
  Back: 'Voltar',
  'If your login is a mail address, we send a link there by which you choose a new one.':
    'Se o seu login for um endereço de e-mail, enviaremos para ele um link para você escolher uma nova.',
  'Send the link': 'Enviar o link',
  'Back to the sign-in': 'Voltar para o login',
  'Look into your mails': 'Veja seus e-mails',
  'If there is an account with this login, and it is a mail address, a link is on its way. It works for an hour. Nothing came? Look among what your mail program sorts out, or ask an administrator.':
    'Se existir uma conta com este login, e ele for um endereço de e-mail, um link está a caminho. Ele vale por uma hora. Não chegou nada? Veja na caixa de spam ou fale com um administrador.',
  'Second step': 'Segunda etapa',
  'One more step, to show that it is you.': 'Mais uma etapa, para mostrar que é você.',
  'Code from your app, or a recovery code': 'Código do seu aplicativo ou um código de recuperação',
  'Recovery code': 'Código de recuperação',
  'All of that lost? An administrator can take the second step away.':
    'Perdeu tudo isso? Um administrador pode retirar a segunda etapa.',
  'This is wrong, or it was used before. Codes change every half minute.':
    'Não confere, ou já foi usado. Os códigos mudam a cada meio minuto.',
  'Use a passkey': 'Usar uma chave de acesso',
  'Use a passkey instead': 'Prefiro usar uma chave de acesso',
  'The passkey was not used. Try again.': 'A chave de acesso não foi usada. Tente de novo.',
  'Passkeys need scripts, which this browser does not run.':
    'Chaves de acesso precisam de scripts, que este navegador não executa.',
  'This passkey is not known here, or did not verify that it is you.':
    'Esta chave de acesso não é conhecida aqui ou não confirmou que é você.',
  'Set up a second step': 'Configurar uma segunda etapa',
  'Signing in here takes more than a password. Scan this with an app that makes codes, such as the one of your password manager.':
    'Para entrar aqui é preciso mais do que uma senha. Leia isto com um aplicativo que gera códigos, como o do seu gerenciador de senhas.',
  'The secret as a QR code': 'O segredo em um código QR',
  'Or type this secret into the app: {secret}': 'Ou digite este segredo no aplicativo: {secret}',
  'Code that the app shows': 'Código que o aplicativo mostra',
  'This code is wrong. The picture is a new one: scan it again.':
    'Este código não confere. A imagem é nova: leia-a outra vez.',
  'The passkey could not be kept. Try again.': 'Não foi possível guardar a chave de acesso. Tente de novo.',
  'Keep your recovery codes': 'Guarde seus códigos de recuperação',
  'Each signs you in once, for the day on which you have lost your app. They are shown this once: print them, or put them where you keep your passwords.':
    'Cada um deixa você entrar uma vez, para o dia em que tiver perdido seu aplicativo. Eles aparecem só agora: imprima-os ou guarde-os junto com suas senhas.',
  'I have kept them': 'Já guardei',
  'Allow {client}?': 'Permitir {client}?',
  'You are signed in as {name} ({login}). {client} asks to:':
    'Você entrou como {name} ({login}). {client} pede para:',
  'know that it is you': 'saber que é você',
  'see your name and your login': 'ver seu nome e seu login',
  'see your mail address': 'ver seu endereço de e-mail',
  'see and change in your name whatever you can see and change here':
    'ver e alterar em seu nome tudo o que você pode ver e alterar aqui',
  'do the same through the command interface': 'fazer o mesmo pela interface de comandos',
  'stay connected without you, until eight hours after your sign-in':
    'continuar conectado sem você, até oito horas depois da sua entrada',
  Allow: 'Permitir',
  'Do not allow': 'Não permitir',
  'Either way you go back to {place}. You are not asked again for what you have allowed.':
    'De um jeito ou de outro, você volta para {place}. O que você já permitiu não será perguntado de novo.',
  'Either way you go back to {place}, an address of this device. You are asked each time: another program on it could use the same address.':
    'De um jeito ou de outro, você volta para {place}, um endereço deste dispositivo. A pergunta se repete a cada vez: outro programa nele poderia usar o mesmo endereço.',
  'Sign out?': 'Sair?',
  'This ends your sign-in in every app that you use with it in this browser. If you did not ask for it, close this page.':
    'Você sairá de todos os aplicativos em que entrou com esta conta neste navegador. Se não foi você quem pediu, feche esta página.',
  'Sign out': 'Sair',
  'You are signed out': 'Você saiu',
  'You can close this page.': 'Você pode fechar esta página.',
  'The app wanted to go on to an address that is not registered for it, so you stay on this page.':
    'O aplicativo queria seguir para um endereço que não está registrado para ele; por isso você fica nesta página.',
  'You are signed out here': 'Você saiu daqui',
  'Sign out of {provider}, too': 'Sair também de {provider}',
  '{provider} did not work': 'Não deu certo com {provider}',
  '{provider} cannot be reached at the moment. Try again in a while.':
    'Não foi possível falar com {provider} agora. Tente de novo daqui a pouco.',
  '{provider} has not signed you in.': 'Sua entrada não foi aceita por {provider}.',
  '{provider} has not confirmed your sign-in. Try again.':
    'Sua entrada não foi confirmada por {provider}. Tente de novo.',
  'What {provider} answered does not hold, so you were not signed in. Try again.':
    'A resposta de {provider} não é válida, por isso você não entrou. Tente de novo.',
  'You have to sign in anew, and {provider} has not said that you did. Sign out there first, or sign in in another way.':
    'Você precisa entrar de novo, e {provider} não disse que você fez isso. Saia de lá primeiro ou entre de outro jeito.',
  'Too many sign-ins from your address are under way. Try again in a quarter of an hour.':
    'Há entradas demais em andamento a partir do seu endereço. Tente de novo daqui a quinze minutos.',
  'This sign-in was not begun in this browser, or has been used.':
    'Esta entrada não começou neste navegador ou já foi usada.',
  'No account here belongs to yours at {provider}. If you have one, sign in to it in another way and connect it on the page My account; otherwise ask an administrator.':
    'Nenhuma conta daqui pertence à sua em {provider}. Se você tem uma, entre nela de outro jeito e conecte-a na página Minha conta; se não, fale com um administrador.',
  'Your account here is closed. Ask an administrator.':
    'Sua conta aqui está fechada. Fale com um administrador.',
  'There is an account here with your address. Sign in to it in another way, and connect it with {provider} on the page My account.':
    'Já existe aqui uma conta com o seu endereço. Entre nela de outro jeito e conecte-a a {provider} na página Minha conta.',
  'Your account is connected with as many others as it can be. Disconnect one first.':
    'Sua conta já está conectada a tantas outras quanto possível. Desconecte uma primeiro.',
  'Somebody else has signed in in this browser meanwhile. Start again.':
    'Nesse meio-tempo, outra pessoa entrou neste navegador. Comece de novo.',
  'This account of {provider} is connected with somebody else’s account here.':
    'Esta conta de {provider} está conectada à conta de outra pessoa aqui.',
  'Sign in once more': 'Entre mais uma vez',
  'To connect {provider}, sign in again first: that was too long ago, or not in this browser.':
    'Para conectar {provider}, entre de novo primeiro: a última vez foi há muito tempo ou não foi neste navegador.',
  'Back to your account': 'Voltar para sua conta',
  'Connect {provider}?': 'Conectar {provider}?',
  'Whoever signs in at {provider} as {label} will be signed in here as {person}. Go on only if both are you.':
    'Quem entrar em {provider} como {label} entrará aqui como {person}. Continue só se os dois forem você.',
  Connect: 'Conectar',
  'Do not connect': 'Não conectar',
}

type Placeholders<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

/** A text without placeholders. */
export type PlainText = { [T in Text]: Placeholders<T> extends never ? T : never }[Text]

/** A text in the language of its page, with what belongs at its placeholders. */
export type Say = <T extends Text>(
  text: T,
  ...values: [Placeholders<T>] extends [never] ? [] : [Readonly<Record<Placeholders<T>, HtmlValue>>]
) => Html

export const sayIn =
  (language: Language): Say =>
  (text, ...given) => {
    const values: Readonly<Record<string, HtmlValue>> = given[0] ?? {}
    const parts = (translations[language]?.[text] ?? text).split(/\{(\w+)\}/)
    // Every second part is the name of a placeholder.
    return {
      markup: parts.map((part, index) => markupOf(index % 2 === 0 ? part : (values[part] ?? ''))).join(''),
    }
  }

const translations: Readonly<Record<Language, Readonly<Record<Text, string>> | undefined>> = {
  en: undefined,
  'pt-BR': ptBr,
}
