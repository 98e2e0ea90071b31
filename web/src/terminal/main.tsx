import { startApp } from '../kit/AppProviders.tsx';
import { App } from './App.tsx';

startApp(<App />);
