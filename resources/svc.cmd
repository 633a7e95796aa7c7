@echo off
"%~dp0..\node\node.exe" "%~dp0..\svc\svc.js" %*
