import { startApp } from '../kit/AppProviders.tsx';
import { Console } from './Console.tsx';
import { forwardedAddress } from './start/addresses.ts';

const forwarded = forwardedAddress(location.hash);
if (forwarded) history.replaceState(null, '', forwarded);

startApp(<Console />, { dialogs: 'when needed' });
