import '../kit/styles-more.css';
import { startApp } from '../kit/AppProviders.tsx';
import { App } from './App.tsx';

startApp(<App />);
