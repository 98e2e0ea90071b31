import { printLight } from '../kit/page/print-light.ts';
import { startApp } from '../kit/page/start-app.tsx';
import { forwardedAddress } from './base/addresses.ts';
import { Console } from './Console.tsx';

const forwarded = forwardedAddress(location.hash);
if (forwarded) history.replaceState(null, '', forwarded);

printLight();
startApp(<Console />);
